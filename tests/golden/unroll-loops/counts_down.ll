; The form of range: rounds are counted down beside the number; two blocks, entered from two places.
define float @k(i64 %rounds, i1 %c, i64 %x, i64 %y) {
entry:
  br i1 %c, label %one, label %other
one:
  br label %head
other:
  br label %head
head:
  %left = phi i64 [ %rounds, %one ], [ %rounds, %other ], [ %less, %body ]
  %i = phi i64 [ %x, %one ], [ %y, %other ], [ %next, %body ]
  %s = phi float [ 0.0, %one ], [ 1.0, %other ], [ %sum, %body ]
  %go = icmp sgt i64 %left, 0
  br i1 %go, label %body, label %done
body:
  %less = add nsw i64 %left, -1
  %next = add i64 %i, 3
  %index = trunc i64 %i to i32
  %v = call float @nv.load.f32.i32(i32 1, i32 %index)
  %sum = fadd float %s, %v
  br label %head
done:
  ret float %s
}
; ---- after unroll-loops
define float @k(i64 %rounds, i1 %c, i64 %x, i64 %y) {
entry:
  br i1 %c, label %one, label %other
one:
  br label %head.enter
other:
  br label %head.enter
head.enter:
  %0 = phi i64 [ %rounds, %one ], [ %rounds, %other ]
  %1 = phi i64 [ %x, %one ], [ %y, %other ]
  %2 = phi float [ 0.0, %one ], [ 1.0, %other ]
  br label %head.several
head.several:
  %left = phi i64 [ %0, %head.enter ], [ %less.3, %head.rounds ]
  %i = phi i64 [ %1, %head.enter ], [ %next.3, %head.rounds ]
  %s = phi float [ %2, %head.enter ], [ %sum.3, %head.rounds ]
  %3 = icmp sgt i64 %left, 3
  br i1 %3, label %head.rounds, label %head
head.rounds:
  %next = add i64 %i, 3
  %index = trunc i64 %i to i32
  %v = call float @nv.load.f32.i32(i32 1, i32 %index)
  %next.1 = add i64 %i, 6
  %index.1 = trunc i64 %next to i32
  %v.1 = call float @nv.load.f32.i32(i32 1, i32 %index.1)
  %next.2 = add i64 %i, 9
  %index.2 = trunc i64 %next.1 to i32
  %v.2 = call float @nv.load.f32.i32(i32 1, i32 %index.2)
  %index.3 = trunc i64 %next.2 to i32
  %v.3 = call float @nv.load.f32.i32(i32 1, i32 %index.3)
  %go = icmp sgt i64 %left, 0
  %less = add i64 %left, -1
  %sum = fadd float %s, %v
  %go.1 = icmp sgt i64 %less, 0
  %less.1 = add i64 %left, -2
  %sum.1 = fadd float %sum, %v.1
  %go.2 = icmp sgt i64 %less.1, 0
  %less.2 = add i64 %left, -3
  %sum.2 = fadd float %sum.1, %v.2
  %go.3 = icmp sgt i64 %less.2, 0
  %less.3 = add i64 %left, -4
  %next.3 = add i64 %i, 12
  %sum.3 = fadd float %sum.2, %v.3
  br label %head.several
head:
  %left.1 = phi i64 [ %less.4, %body ], [ %left, %head.several ]
  %i.1 = phi i64 [ %next.4, %body ], [ %i, %head.several ]
  %s.1 = phi float [ %sum.4, %body ], [ %s, %head.several ]
  %go.4 = icmp sgt i64 %left.1, 0
  br i1 %go.4, label %body, label %done
body:
  %less.4 = add nsw i64 %left.1, -1
  %next.4 = add i64 %i.1, 3
  %index.4 = trunc i64 %i.1 to i32
  %v.4 = call float @nv.load.f32.i32(i32 1, i32 %index.4)
  %sum.4 = fadd float %s.1, %v.4
  br label %head
done:
  ret float %s.1
}
