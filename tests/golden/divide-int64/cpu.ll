; A CPU divides small numbers faster by itself.
; without: loads_wait
define i64 @k(i64 %x, i64 %y) {
entry:
  %q = udiv i64 %x, %y
  ret i64 %q
}
; ---- after divide-int64
define i64 @k(i64 %x, i64 %y) {
entry:
  %0 = udiv i64 %x, %y
  ret i64 %0
}
