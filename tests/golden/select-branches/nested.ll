; A branch inside another one becomes a choice first, which makes the outer one short enough. One way may be empty, and
; other blocks may lead to where both meet.
define void @k(i1 %c, i1 %d, i1 %e, i32 %x, ptr %out) {
entry:
  br i1 %e, label %outer, label %meeting
outer:
  br i1 %c, label %inner, label %meeting
inner:
  br i1 %d, label %more, label %joined
more:
  %y = add i32 %x, 1
  br label %joined
joined:
  %z = phi i32 [ %y, %more ], [ %x, %inner ]
  br label %meeting
meeting:
  %r = phi i32 [ 0, %entry ], [ 5, %outer ], [ %z, %joined ]
  store i32 %r, ptr %out
  ret void
}
; ---- after select-branches
define void @k(i1 %c, i1 %d, i1 %e, i32 %x, ptr %out) {
entry:
  %y = add i32 %x, 1
  %0 = select i1 %d, i32 %y, i32 %x
  %1 = select i1 %c, i32 %0, i32 5
  %2 = select i1 %e, i32 %1, i32 0
  store i32 %2, ptr %out
  ret void
}
