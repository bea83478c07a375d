; What follows the barrier in one round comes before it in the next one; the barrier in front of the loop is another.
; arrays: 2
; disjoint
define void @k(i32 %n) {
entry:
  call void @nv.barrier()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @nv.barrier()
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 1)
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret void
}
; ---- after order-barriers
define void @k(i32 %n) {
entry:
  call void @nv.barrier.shared()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @nv.barrier()
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 1)
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret void
}
