; Indices are computed in 64 bits and passed on in 32: LLVM computes them in 32. (A product with two uses stays wide.)
declare i32 @nv.id.global(i32)
declare i32 @nv.param.extent(i32)
declare float @nv.load.f32.i32(i32, i32)
declare void @nv.store.f32.i32(i32, i32, float)
define void @k() {
  %i32 = call i32 @nv.id.global(i32 0)
  %n32 = call i32 @nv.param.extent(i32 1)
  %i = zext i32 %i32 to i64
  %n = zext i32 %n32 to i64
  %row = mul i64 %i, %n
  %offset = sub i64 %row, 5
  %a = trunc i64 %offset to i32
  %x = call float @nv.load.f32.i32(i32 1, i32 %a)
  %next = add i64 %i, %n
  %b = trunc i64 %next to i32
  call void @nv.store.f32.i32(i32 2, i32 %b, float %x)
  ret void
}
; ---- after llvm
define void @k() {
entry:
  %i32 = call i32 @nv.id.global(i32 0)
  %n32 = call i32 @nv.param.extent(i32 1)
  %row = mul i32 %i32, %n32
  %offset = add i32 %row, -5
  %x = call float @nv.load.f32.i32(i32 1, i32 %offset)
  %narrow = add nuw i32 %i32, %n32
  call void @nv.store.f32.i32(i32 2, i32 %narrow, float %x)
  ret void
}
