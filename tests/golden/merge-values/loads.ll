; Equal loads are one as long as nothing is written between them; ids are one anywhere, operands may change places.
define void @k() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %x = call float @nv.load.f32.i32(i32 1, i32 %i)
  %j = call i32 @nv.id.global(i32 0)
  %y = call float @nv.load.f32.i32(i32 1, i32 %j)
  %s = fadd float %x, %y
  call void @nv.store.f32.i32(i32 2, i32 %i, float %s)
  %z = call float @nv.load.f32.i32(i32 1, i32 %i)
  %p = fmul float %z, %x
  %q = fmul float %x, %z
  %t = fadd float %p, %q
  call void @nv.store.f32.i32(i32 2, i32 %j, float %t)
  ret void
}
; ---- after merge-values
define void @k() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %x = call float @nv.load.f32.i32(i32 1, i32 %i)
  %s = fadd float %x, %x
  call void @nv.store.f32.i32(i32 2, i32 %i, float %s)
  %z = call float @nv.load.f32.i32(i32 1, i32 %i)
  %p = fmul float %z, %x
  %t = fadd float %p, %p
  call void @nv.store.f32.i32(i32 2, i32 %i, float %t)
  ret void
}
