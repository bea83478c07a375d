; The barrier keeps others from writing the buffer before it is read.
; disjoint
; arrays: 2
define void @k(i32 %t) {
entry:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %t)
  call void @nv.store.i32.i32(i32 65536, i32 %t, i32 %v)
  call void @nv.barrier()
  %w = call i32 @nv.load.i32.i32(i32 65536, i32 0)
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %w)
  ret void
}
; ---- after order-barriers
define void @k(i32 %t) {
entry:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %t)
  call void @nv.store.i32.i32(i32 65536, i32 %t, i32 %v)
  call void @nv.barrier()
  %w = call i32 @nv.load.i32.i32(i32 65536, i32 0)
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %w)
  ret void
}
