; A while loop: the next counter is compared, so four rounds need five counters below the limit; neither the limit
; nor the step is known to stay within 32 bits.
define i32 @k(i32 %n, i32 %step) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %sum = add i32 %s, %v
  %next = add i32 %i, %step
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n, i32 %step) {
entry:
  br label %loop.enter
loop.enter:
  %0 = mul i32 %step, 4
  %1 = sub i32 %n, %0
  %2 = add i32 %step, -1
  %3 = icmp ult i32 %2, 33554432
  %4 = icmp slt i32 %1, %n
  %5 = select i1 %4, i32 %1, i32 -2147483648
  %6 = select i1 %3, i32 %5, i32 -2147483648
  br label %loop.several
loop.several:
  %i = phi i32 [ 0, %loop.enter ], [ %next.3, %loop.rounds ]
  %s = phi i32 [ 0, %loop.enter ], [ %sum.3, %loop.rounds ]
  %7 = icmp slt i32 %i, %6
  br i1 %7, label %loop.rounds, label %loop
loop.rounds:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %next = add i32 %i, %step
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 %next)
  %next.1 = add i32 %next, %step
  %v.2 = call i32 @nv.load.i32.i32(i32 1, i32 %next.1)
  %next.2 = add i32 %next.1, %step
  %v.3 = call i32 @nv.load.i32.i32(i32 1, i32 %next.2)
  %sum = add i32 %s, %v
  %go = icmp slt i32 %next, %n
  %sum.1 = add i32 %sum, %v.1
  %go.1 = icmp slt i32 %next.1, %n
  %sum.2 = add i32 %sum.1, %v.2
  %go.2 = icmp slt i32 %next.2, %n
  %sum.3 = add i32 %sum.2, %v.3
  %next.3 = add i32 %next.2, %step
  %go.3 = icmp slt i32 %next.3, %n
  br label %loop.several
loop:
  %i.1 = phi i32 [ %next.4, %loop ], [ %i, %loop.several ]
  %s.1 = phi i32 [ %sum.4, %loop ], [ %s, %loop.several ]
  %v.4 = call i32 @nv.load.i32.i32(i32 1, i32 %i.1)
  %sum.4 = add i32 %s.1, %v.4
  %next.4 = add i32 %i.1, %step
  %go.4 = icmp slt i32 %next.4, %n
  br i1 %go.4, label %loop, label %done
done:
  ret i32 %sum.4
}
