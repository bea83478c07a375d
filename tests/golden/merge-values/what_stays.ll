; Nothing is merged across a barrier or an atomic operation, and what is another one each time is not merged at all.
define void @k() {
entry:
  %i = call i32 @nv.id.local(i32 0)
  %a = call i32 @nv.local.i32(i64 2)
  %b = call i32 @nv.local.i32(i64 2)
  %x = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  call void @nv.barrier()
  %y = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %old = call i32 @nv.atomic.add.i32(i32 1, i32 0, i32 %y)
  %older = call i32 @nv.atomic.add.i32(i32 1, i32 0, i32 %y)
  %z = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %first = call i1 @nv.subgroup.elect()
  %second = call i1 @nv.subgroup.elect()
  %both = and i1 %first, %second
  %chosen = select i1 %both, i32 %x, i32 %z
  %d = sub i32 %old, %older
  %e = add i32 %chosen, %d
  call void @nv.store.i32.i32(i32 %a, i32 0, i32 %e)
  call void @nv.store.i32.i32(i32 %b, i32 1, i32 %y)
  ret void
}
; ---- after merge-values
define void @k() {
entry:
  %i = call i32 @nv.id.local(i32 0)
  %a = call i32 @nv.local.i32(i64 2)
  %b = call i32 @nv.local.i32(i64 2)
  %x = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  call void @nv.barrier()
  %y = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %old = call i32 @nv.atomic.add.i32(i32 1, i32 0, i32 %y)
  %older = call i32 @nv.atomic.add.i32(i32 1, i32 0, i32 %y)
  %z = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %first = call i1 @nv.subgroup.elect()
  %second = call i1 @nv.subgroup.elect()
  %both = and i1 %first, %second
  %chosen = select i1 %both, i32 %x, i32 %z
  %d = sub i32 %old, %older
  %e = add i32 %chosen, %d
  call void @nv.store.i32.i32(i32 %a, i32 0, i32 %e)
  call void @nv.store.i32.i32(i32 %b, i32 1, i32 %y)
  ret void
}
