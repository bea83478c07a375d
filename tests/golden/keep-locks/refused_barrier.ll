; All invocations must come to the barrier together, so nothing behind it goes into the loop.
; arrays: 2
define void @k(i32 %p) {
entry:
  br label %wait
wait:
  %seen = call i32 @nv.atomic.cas.i32.i32(i32 1, i32 %p, i32 0, i32 1)
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  call void @nv.barrier()
  br label %end
end:
  call void @nv.atomic.store.i32.i32(i32 1, i32 %p, i32 0)
  ret void
}
; ---- after keep-locks
define void @k(i32 %p) {
entry:
  %jump = alloca i32
  br label %wait
wait:
  %seen = call i32 @nv.atomic.cas.i32.i32(i32 1, i32 %p, i32 0, i32 1)
  %taken = icmp eq i32 %seen, 0
  store i32 0, ptr %jump
  br i1 %taken, label %wait.jump, label %wait.jump0
wait.jump:
  store i32 1, ptr %jump
  br label %wait.jump0
wait.jump0:
  %0 = load i32, ptr %jump
  %1 = icmp eq i32 %0, 1
  br i1 %1, label %section, label %wait.jump1
section:
  call void @nv.barrier()
  br label %end
end:
  call void @nv.atomic.store.i32.i32(i32 1, i32 %p, i32 0)
  br label %end.jump
end.jump:
  store i32 2, ptr %jump
  br label %wait.jump0
wait.jump1:
  %2 = icmp eq i32 %0, 2
  br i1 %2, label %end.after, label %wait
end.after:
  ret void
}
