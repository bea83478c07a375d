; With int64 the words of a 64-bit number are shifts.
define void @k(i32 %x, i32 %y) {
entry:
  %a = call i64 @nv.join.i64(i32 %x, i32 %y)
  %b = call i32 @nv.high.i64(i64 %a)
  %c = call i32 @nv.low.i64(i64 %a)
  ret void
}
; ---- after rewrite-ops
define void @k(i32 %x, i32 %y) {
entry:
  %0 = zext i32 %x to i64
  %1 = zext i32 %y to i64
  %2 = shl i64 %1, 32
  %a = or i64 %0, %2
  %3 = lshr i64 %a, 32
  %b = trunc i64 %3 to i32
  %c = trunc i64 %a to i32
  ret void
}
