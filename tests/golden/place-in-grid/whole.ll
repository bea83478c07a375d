; A grid that the device takes at once needs nothing.
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
  %g = call i32 @nv.id.group(i32 1)
  %i = call i32 @nv.id.global(i32 0)
  %l = call i32 @nv.id.local(i32 0)
  %n = call i32 @nv.size.groups(i32 2)
  %s = call i32 @nv.size.local(i32 0)
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %g)
  call void @nv.store.i32.i32(i32 1, i32 %l, i32 %n)
  ret void
}
