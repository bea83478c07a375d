; The section lies in the loop, which is left without a condition behind it; what is counted decides nothing.
; arrays: 3
define void @k(i32 %p) {
entry:
  br label %wait
wait:
  %counted = call i32 @nv.atomic.add.i32.i32(i32 3, i32 %p, i32 1)
  %seen = call i32 @nv.atomic.or.i32.i32(i32 1, i32 %p, i32 1)
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  %old = call i32 @nv.load.i32.i32(i32 2, i32 %p)
  %new = add i32 %old, %counted
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %new)
  %given = call i32 @nv.atomic.and.i32.i32(i32 1, i32 %p, i32 0)
  br label %end
end:
  ret void
}
; ---- after order-locks
define void @k(i32 %p) {
entry:
  br label %wait
wait:
  %counted = call i32 @nv.atomic.add.i32.i32(i32 3, i32 %p, i32 1)
  call void @nv.fence.device()
  %seen = call i32 @nv.atomic.or.i32.i32(i32 1, i32 %p, i32 1)
  call void @nv.fence.device()
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  %old = call i32 @nv.load.i32.i32(i32 2, i32 %p)
  %new = add i32 %old, %counted
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %new)
  call void @nv.fence.device()
  %given = call i32 @nv.atomic.and.i32.i32(i32 1, i32 %p, i32 0)
  br label %end
end:
  ret void
}
