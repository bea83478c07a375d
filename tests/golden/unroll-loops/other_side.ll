; The comparison is written the other way round, and leaves the loop where it holds.
define i32 @k(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %sum = add i32 %s, %v
  %next = add i32 %i, 2
  %end = icmp ule i32 %n, %next
  br i1 %end, label %done, label %loop
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n) {
entry:
  br label %loop.enter
loop.enter:
  %0 = sub i32 %n, 8
  %1 = icmp ult i32 %0, %n
  %2 = select i1 %1, i32 %0, i32 0
  br label %loop.several
loop.several:
  %i = phi i32 [ 0, %loop.enter ], [ %next.3, %loop.rounds ]
  %s = phi i32 [ 0, %loop.enter ], [ %sum.3, %loop.rounds ]
  %3 = icmp ult i32 %i, %2
  br i1 %3, label %loop.rounds, label %loop
loop.rounds:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %next = add i32 %i, 2
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 %next)
  %next.1 = add i32 %i, 4
  %v.2 = call i32 @nv.load.i32.i32(i32 1, i32 %next.1)
  %next.2 = add i32 %i, 6
  %v.3 = call i32 @nv.load.i32.i32(i32 1, i32 %next.2)
  %sum = add i32 %s, %v
  %end = icmp ule i32 %n, %next
  %sum.1 = add i32 %sum, %v.1
  %end.1 = icmp ule i32 %n, %next.1
  %sum.2 = add i32 %sum.1, %v.2
  %end.2 = icmp ule i32 %n, %next.2
  %sum.3 = add i32 %sum.2, %v.3
  %next.3 = add i32 %i, 8
  %end.3 = icmp ule i32 %n, %next.3
  br label %loop.several
loop:
  %i.1 = phi i32 [ %next.4, %loop ], [ %i, %loop.several ]
  %s.1 = phi i32 [ %sum.4, %loop ], [ %s, %loop.several ]
  %v.4 = call i32 @nv.load.i32.i32(i32 1, i32 %i.1)
  %sum.4 = add i32 %s.1, %v.4
  %next.4 = add i32 %i.1, 2
  %end.4 = icmp ule i32 %n, %next.4
  br i1 %end.4, label %done, label %loop
done:
  ret i32 %sum.4
}
