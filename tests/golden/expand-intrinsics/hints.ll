; What only helps LLVM is dropped; float intrinsics and copies of memory wait for their passes.
define void @k(i32 %x, float %f) {
entry:
  %v = alloca [4 x i32]
  call void @llvm.lifetime.start.p0(ptr %v)
  %e = call i32 @llvm.expect.i32(i32 %x, i32 1)
  %c = icmp sgt i32 %e, 0
  call void @llvm.assume(i1 %c)
  call void @llvm.memset.p0.i64(ptr %v, i8 0, i64 16, i1 false)
  %g = call float @llvm.floor.f32(float %f)
  ret void
}
; ---- after expand-intrinsics
define void @k(i32 %x, float %f) {
entry:
  %v = alloca [4 x i32]
  %c = icmp sgt i32 %x, 0
  call void @llvm.memset.p0.i64(ptr %v, i8 0, i64 16, i1 false)
  %g = call float @llvm.floor.f32(float %f)
  ret void
}
