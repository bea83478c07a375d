; NVIDIA's driver makes a signed multiplication of a shift by 31, so it is done word by word.
define void @nv_kernel() {
entry:
  %x = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %wide = sext i32 %x to i64
  %shifted = shl i64 %wide, 31
  call void @nv.store.i64.i32(i32 2, i32 0, i64 %shifted)
  ret void
}
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i64.i32(i32, i32, i64)
; ---- after rewrite-ops
define void @nv_kernel() {
entry:
  %x = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %0 = ashr i32 %x, 31
  %1 = zext i32 %0 to i64
  %2 = zext i32 %x to i64
  %3 = shl i64 %1, 32
  %wide = or i64 %2, %3
  %4 = trunc i64 %wide to i32
  %5 = lshr i64 %wide, 32
  %6 = trunc i64 %5 to i32
  %7 = shl i32 %6, 31
  %8 = lshr i32 %4, 1
  %9 = or i32 %7, %8
  %10 = shl i32 %4, 31
  %11 = zext i32 %10 to i64
  %12 = zext i32 %9 to i64
  %13 = shl i64 %12, 32
  %shifted = or i64 %11, %13
  call void @nv.store.i64.i32(i32 2, i32 0, i64 %shifted)
  ret void
}
