; A lock that a plain store gives back, behind a fence; all come together in the same block.
define void @k(i32 %x) {
entry:
  br label %wait
wait:
  %old = call i32 @nv.atomic.or.i32(i32 1, i32 0, i32 1)
  %free = icmp eq i32 %old, 0
  br i1 %free, label %held, label %wait
held:
  %v = call i32 @nv.load.i32.i32(i32 2, i32 0)
  %w = add i32 %v, %x
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %w)
  call void @nv.fence.device()
  call void @nv.store.i32.i32(i32 1, i32 0, i32 0)
  call void @nv.barrier()
  call void @nv.store.i32.i32(i32 3, i32 0, i32 %w)
  ret void
}
; ---- after keep-locks
define void @k(i32 %x) {
entry:
  %jump = alloca i32
  %last = alloca i32
  br label %wait
wait:
  %old = call i32 @nv.atomic.or.i32(i32 1, i32 0, i32 1)
  %free = icmp eq i32 %old, 0
  store i32 0, ptr %jump
  br i1 %free, label %held, label %wait.jump0
held:
  %v = call i32 @nv.load.i32.i32(i32 2, i32 0)
  %w = add i32 %v, %x
  store i32 %w, ptr %last
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %w)
  call void @nv.fence.device()
  call void @nv.store.i32.i32(i32 1, i32 0, i32 0)
  br label %held.jump
held.jump:
  store i32 1, ptr %jump
  br label %wait.jump0
wait.jump0:
  %0 = load i32, ptr %jump
  %1 = icmp eq i32 %0, 1
  br i1 %1, label %held.after, label %wait
held.after:
  br label %held.after.1
held.after.1:
  call void @nv.barrier()
  %2 = load i32, ptr %last
  call void @nv.store.i32.i32(i32 3, i32 0, i32 %2)
  ret void
}
