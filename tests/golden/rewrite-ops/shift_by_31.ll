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
  %wide = sext i32 %x to i64
  %0 = trunc i64 %wide to i32
  %1 = lshr i64 %wide, 32
  %2 = trunc i64 %1 to i32
  %3 = shl i32 %2, 31
  %4 = lshr i32 %0, 1
  %5 = or i32 %3, %4
  %6 = shl i32 %0, 31
  %7 = zext i32 %6 to i64
  %8 = zext i32 %5 to i64
  %9 = shl i64 %8, 32
  %shifted = or i64 %7, %9
  call void @nv.store.i64.i32(i32 2, i32 0, i64 %shifted)
  ret void
}
