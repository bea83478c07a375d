; Stores to another array, which the launch has proved to be other memory, keep their order.
; arrays: 2
; disjoint
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %v)
  %sum = add i32 %s, 1
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop.enter
loop.enter:
  %0 = sub i32 %n, 4
  %1 = icmp slt i32 %0, %n
  %2 = select i1 %1, i32 %0, i32 -2147483648
  br label %loop.several
loop.several:
  %i = phi i32 [ 0, %loop.enter ], [ %next.3, %loop.rounds ]
  %s = phi i32 [ 0, %loop.enter ], [ %sum.3, %loop.rounds ]
  %3 = icmp slt i32 %i, %2
  br i1 %3, label %loop.rounds, label %loop
loop.rounds:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %next = add i32 %i, 1
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 %next)
  %next.1 = add i32 %i, 2
  %v.2 = call i32 @nv.load.i32.i32(i32 1, i32 %next.1)
  %next.2 = add i32 %i, 3
  %v.3 = call i32 @nv.load.i32.i32(i32 1, i32 %next.2)
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %v)
  %sum = add i32 %s, 1
  %go = icmp slt i32 %next, %n
  call void @nv.store.i32.i32(i32 2, i32 %next, i32 %v.1)
  %sum.1 = add i32 %s, 2
  %go.1 = icmp slt i32 %next.1, %n
  call void @nv.store.i32.i32(i32 2, i32 %next.1, i32 %v.2)
  %sum.2 = add i32 %s, 3
  %go.2 = icmp slt i32 %next.2, %n
  call void @nv.store.i32.i32(i32 2, i32 %next.2, i32 %v.3)
  %sum.3 = add i32 %s, 4
  %next.3 = add i32 %i, 4
  %go.3 = icmp slt i32 %next.3, %n
  br label %loop.several
loop:
  %i.1 = phi i32 [ %next.4, %loop ], [ %i, %loop.several ]
  %s.1 = phi i32 [ %sum.4, %loop ], [ %s, %loop.several ]
  %v.4 = call i32 @nv.load.i32.i32(i32 1, i32 %i.1)
  call void @nv.store.i32.i32(i32 2, i32 %i.1, i32 %v.4)
  %sum.4 = add i32 %s.1, 1
  %next.4 = add i32 %i.1, 1
  %go.4 = icmp slt i32 %next.4, %n
  br i1 %go.4, label %loop, label %done
done:
  ret i32 %sum.4
}
