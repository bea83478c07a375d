; Only the inner loop is one without loops.
define i32 @k(i32 %n) {
entry:
  br label %rows
rows:
  %r = phi i32 [ 0, %entry ], [ %r2, %row_done ]
  %t = phi i32 [ 0, %entry ], [ %sum, %row_done ]
  br label %loop
loop:
  %i = phi i32 [ 0, %rows ], [ %next, %loop ]
  %s = phi i32 [ %t, %rows ], [ %sum, %loop ]
  %at = add i32 %r, %i
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %at)
  %sum = add i32 %s, %v
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, 9
  br i1 %go, label %loop, label %row_done
row_done:
  %r2 = add i32 %r, 1
  %more = icmp slt i32 %r2, %n
  br i1 %more, label %rows, label %done
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n) {
entry:
  br label %rows
rows:
  %r = phi i32 [ 0, %entry ], [ %r2, %row_done ]
  %t = phi i32 [ 0, %entry ], [ %sum.4, %row_done ]
  br label %loop.enter
loop.enter:
  br label %loop.several
loop.several:
  %i = phi i32 [ 0, %loop.enter ], [ %next.3, %loop.rounds ]
  %s = phi i32 [ %t, %loop.enter ], [ %sum.3, %loop.rounds ]
  %0 = icmp slt i32 %i, 5
  br i1 %0, label %loop.rounds, label %loop
loop.rounds:
  %at = add i32 %r, %i
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %at)
  %next = add i32 %i, 1
  %at.1 = add i32 %r, %next
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 %at.1)
  %next.1 = add i32 %i, 2
  %at.2 = add i32 %r, %next.1
  %v.2 = call i32 @nv.load.i32.i32(i32 1, i32 %at.2)
  %next.2 = add i32 %i, 3
  %at.3 = add i32 %r, %next.2
  %v.3 = call i32 @nv.load.i32.i32(i32 1, i32 %at.3)
  %sum = add i32 %s, %v
  %go = icmp slt i32 %next, 9
  %sum.1 = add i32 %sum, %v.1
  %go.1 = icmp slt i32 %next.1, 9
  %sum.2 = add i32 %sum.1, %v.2
  %go.2 = icmp slt i32 %next.2, 9
  %sum.3 = add i32 %sum.2, %v.3
  %next.3 = add i32 %i, 4
  %go.3 = icmp slt i32 %next.3, 9
  br label %loop.several
loop:
  %i.1 = phi i32 [ %next.4, %loop ], [ %i, %loop.several ]
  %s.1 = phi i32 [ %sum.4, %loop ], [ %s, %loop.several ]
  %at.4 = add i32 %r, %i.1
  %v.4 = call i32 @nv.load.i32.i32(i32 1, i32 %at.4)
  %sum.4 = add i32 %s.1, %v.4
  %next.4 = add i32 %i.1, 1
  %go.4 = icmp slt i32 %next.4, 9
  br i1 %go.4, label %loop, label %row_done
row_done:
  %r2 = add i32 %r, 1
  %more = icmp slt i32 %r2, %n
  br i1 %more, label %rows, label %done
done:
  ret i32 %sum.4
}
