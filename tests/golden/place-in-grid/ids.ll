; What counts workgroups is that of the whole grid; what counts within a workgroup stays as it is.
; in parts
define void @k() {
entry:
  %g = call i32 @nv.id.group(i32 1)
  %i = call i32 @nv.id.global(i32 0)
  %l = call i32 @nv.id.local(i32 0)
  %n = call i32 @nv.size.groups(i32 2)
  %s = call i32 @nv.size.local(i32 0)
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %g)
  call void @nv.store.i32.i32(i32 1, i32 %l, i32 %n)
  ret void
}
; ---- after place-in-grid
define void @k() {
entry:
  %0 = call i32 @nv.id.group(i32 1)
  %1 = call i32 @nv.param.i32(i32 1)
  %g = add i32 %0, %1
  %2 = call i32 @nv.id.global(i32 0)
  %3 = call i32 @nv.size.local(i32 0)
  %4 = call i32 @nv.param.i32(i32 0)
  %5 = mul i32 %3, %4
  %i = add i32 %2, %5
  %l = call i32 @nv.id.local(i32 0)
  %n = call i32 @nv.param.i32(i32 5)
  %s = call i32 @nv.size.local(i32 0)
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %g)
  call void @nv.store.i32.i32(i32 1, i32 %l, i32 %n)
  ret void
}
