; Where large factors might add up to 2**31, the driver must not see that a value is a sign-extended word: NVIDIA 580
; multiplies such values by a signed 2**31.
define void @k() {
entry:
  %x = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %y = call i64 @nv.load.i64.i32(i32 2, i32 0)
  %wide = sext i32 %x to i64
  %upper = ashr i64 %y, 40
  %sum = add i64 %wide, %upper
  %product = mul i64 %sum, 2147483647
  %joined = add i64 %product, %sum
  call void @nv.store.i64.i32(i32 2, i32 1, i64 %joined)
  ret void
}
; ---- after rewrite-ops
define void @k() {
entry:
  %x = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %y = call i64 @nv.load.i64.i32(i32 2, i32 0)
  %0 = ashr i32 %x, 31
  %1 = zext i32 %0 to i64
  %2 = zext i32 %x to i64
  %3 = shl i64 %1, 32
  %wide = or i64 %2, %3
  %4 = lshr i64 %y, 32
  %5 = trunc i64 %4 to i32
  %6 = ashr i32 %5, 8
  %7 = ashr i32 %6, 31
  %8 = zext i32 %7 to i64
  %9 = zext i32 %6 to i64
  %10 = shl i64 %8, 32
  %upper = or i64 %9, %10
  %sum = add i64 %wide, %upper
  %product = mul i64 %sum, 2147483647
  %joined = add i64 %product, %sum
  call void @nv.store.i64.i32(i32 2, i32 1, i64 %joined)
  ret void
}
