; An addition of 64-bit integers carries from the low to the high word.
; without: int64
define i32 @k(i32 %x, i32 %y) {
entry:
  %a = sext i32 %x to i64
  %b = sext i32 %y to i64
  %s = add i64 %a, %b ; at kernel.py:7
  %h = lshr i64 %s, 32
  %t = trunc i64 %h to i32
  ret i32 %t
}
; ---- after split-int64
define i32 @k(i32 %x, i32 %y) {
entry:
  %a.high = ashr i32 %x, 31
  %b.high = ashr i32 %y, 31
  %s.low = add i32 %x, %y ; at kernel.py:7
  %0 = icmp ult i32 %s.low, %x ; at kernel.py:7
  %1 = add i32 %a.high, %b.high ; at kernel.py:7
  %2 = zext i1 %0 to i32 ; at kernel.py:7
  %s.high = add i32 %1, %2 ; at kernel.py:7
  ret i32 %s.high
}
