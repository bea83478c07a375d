; Atomic operations keep their order; loads of an array that nobody writes move in front of them.
; arrays: 1
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %sum = call i32 @nv.atomic.add.i32(i32 65536, i32 %v, i32 1)
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
  %sum = call i32 @nv.atomic.add.i32(i32 65536, i32 %v, i32 1)
  %go = icmp slt i32 %next, %n
  %sum.1 = call i32 @nv.atomic.add.i32(i32 65536, i32 %v.1, i32 1)
  %go.1 = icmp slt i32 %next.1, %n
  %sum.2 = call i32 @nv.atomic.add.i32(i32 65536, i32 %v.2, i32 1)
  %go.2 = icmp slt i32 %next.2, %n
  %sum.3 = call i32 @nv.atomic.add.i32(i32 65536, i32 %v.3, i32 1)
  %next.3 = add i32 %i, 4
  %go.3 = icmp slt i32 %next.3, %n
  br label %loop.several
loop:
  %i.1 = phi i32 [ %next.4, %loop ], [ %i, %loop.several ]
  %s.1 = phi i32 [ %sum.4, %loop ], [ %s, %loop.several ]
  %v.4 = call i32 @nv.load.i32.i32(i32 1, i32 %i.1)
  %sum.4 = call i32 @nv.atomic.add.i32(i32 65536, i32 %v.4, i32 1)
  %next.4 = add i32 %i.1, 1
  %go.4 = icmp slt i32 %next.4, %n
  br i1 %go.4, label %loop, label %done
done:
  ret i32 %sum.4
}
