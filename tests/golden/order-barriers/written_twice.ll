; Two invocations write the same element, one before the barrier.
; disjoint
; arrays: 2
define void @k(i32 %t) {
entry:
  call void @nv.store.i32.i32(i32 2, i32 %t, i32 1)
  call void @nv.barrier()
  %w = call i32 @nv.load.i32.i32(i32 65536, i32 0)
  call void @nv.store.i32.i32(i32 2, i32 %t, i32 %w)
  ret void
}
; ---- after order-barriers
define void @k(i32 %t) {
entry:
  call void @nv.store.i32.i32(i32 2, i32 %t, i32 1)
  call void @nv.barrier()
  %w = call i32 @nv.load.i32.i32(i32 65536, i32 0)
  call void @nv.store.i32.i32(i32 2, i32 %t, i32 %w)
  ret void
}
