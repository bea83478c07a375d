; A round only computes with floats: each of four has its branch.
define float @k(i32 %n, float %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %s = phi float [ %b, %entry ], [ %sum, %join ]
  %c = fcmp olt float %s, %b
  br i1 %c, label %there, label %join
there:
  %v = fmul float %s, %b
  br label %join
join:
  %w = phi float [ %s, %loop ], [ %v, %there ]
  %sum = fadd float %w, %b
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret float %sum
}
; ---- after unroll-loops
define float @k(i32 %n, float %b) {
entry:
  br label %loop.enter
loop.enter:
  %0 = sub i32 %n, 4
  %1 = icmp slt i32 %0, %n
  %2 = select i1 %1, i32 %0, i32 -2147483648
  br label %loop.several
loop.several:
  %i = phi i32 [ 0, %loop.enter ], [ %next.3, %join.round4 ]
  %s = phi float [ %b, %loop.enter ], [ %sum.3, %join.round4 ]
  %3 = icmp slt i32 %i, %2
  br i1 %3, label %loop.rounds, label %loop
loop.rounds:
  %c = fcmp olt float %s, %b
  br i1 %c, label %there.round1, label %join.round1
there.round1:
  %v = fmul float %s, %b
  br label %join.round1
join.round1:
  %w = phi float [ %s, %loop.rounds ], [ %v, %there.round1 ]
  %sum = fadd float %w, %b
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br label %loop.rounds.1
loop.rounds.1:
  %c.1 = fcmp olt float %sum, %b
  br i1 %c.1, label %there.round2, label %join.round2
there.round2:
  %v.1 = fmul float %sum, %b
  br label %join.round2
join.round2:
  %w.1 = phi float [ %sum, %loop.rounds.1 ], [ %v.1, %there.round2 ]
  %sum.1 = fadd float %w.1, %b
  %next.1 = add i32 %next, 1
  %go.1 = icmp slt i32 %next.1, %n
  br label %loop.rounds.2
loop.rounds.2:
  %c.2 = fcmp olt float %sum.1, %b
  br i1 %c.2, label %there.round3, label %join.round3
there.round3:
  %v.2 = fmul float %sum.1, %b
  br label %join.round3
join.round3:
  %w.2 = phi float [ %sum.1, %loop.rounds.2 ], [ %v.2, %there.round3 ]
  %sum.2 = fadd float %w.2, %b
  %next.2 = add i32 %next.1, 1
  %go.2 = icmp slt i32 %next.2, %n
  br label %loop.rounds.3
loop.rounds.3:
  %c.3 = fcmp olt float %sum.2, %b
  br i1 %c.3, label %there.round4, label %join.round4
there.round4:
  %v.3 = fmul float %sum.2, %b
  br label %join.round4
join.round4:
  %w.3 = phi float [ %sum.2, %loop.rounds.3 ], [ %v.3, %there.round4 ]
  %sum.3 = fadd float %w.3, %b
  %next.3 = add i32 %next.2, 1
  %go.3 = icmp slt i32 %next.3, %n
  br label %loop.several
loop:
  %i.1 = phi i32 [ %next.4, %join ], [ %i, %loop.several ]
  %s.1 = phi float [ %sum.4, %join ], [ %s, %loop.several ]
  %c.4 = fcmp olt float %s.1, %b
  br i1 %c.4, label %there, label %join
there:
  %v.4 = fmul float %s.1, %b
  br label %join
join:
  %w.4 = phi float [ %s.1, %loop ], [ %v.4, %there ]
  %sum.4 = fadd float %w.4, %b
  %next.4 = add i32 %i.1, 1
  %go.4 = icmp slt i32 %next.4, %n
  br i1 %go.4, label %loop, label %done
done:
  ret float %sum.4
}
