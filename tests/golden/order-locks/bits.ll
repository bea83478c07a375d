; A lock made of operations that order nothing: fences let each critical section see the one before.
; arrays: 2
define void @k(i32 %p) {
entry:
  br label %wait
wait:
  %seen = call i32 @nv.atomic.or.i32.i32(i32 1, i32 %p, i32 1)
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  %old = call i32 @nv.load.i32.i32(i32 2, i32 %p)
  %new = add i32 %old, 1
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %new)
  %given = call i32 @nv.atomic.and.i32.i32(i32 1, i32 %p, i32 0)
  ret void
}
; ---- after order-locks
define void @k(i32 %p) {
entry:
  br label %wait
wait:
  call void @nv.fence.device()
  %seen = call i32 @nv.atomic.or.i32.i32(i32 1, i32 %p, i32 1)
  call void @nv.fence.device()
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  %old = call i32 @nv.load.i32.i32(i32 2, i32 %p)
  %new = add i32 %old, 1
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %new)
  call void @nv.fence.device()
  %given = call i32 @nv.atomic.and.i32.i32(i32 1, i32 %p, i32 0)
  ret void
}
