; Branches that stay: an array is read between them, or they lead to different places. The first two lead to one.
define void @k(i32 %limit, i1 %c, i1 %d, ptr %out) {
entry:
  br i1 %c, label %between, label %end
between:
  br i1 %d, label %loop, label %end
loop:
  %n = phi i32 [ 0, %between ], [ %next, %further ]
  %next = add i32 %n, 1
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %more, label %end
more:
  %element = call i32 @nv.load.i32.i32(i32 1, i32 %next)
  %leaves = icmp eq i32 %element, 0
  br i1 %leaves, label %end, label %further
further:
  %even = and i32 %element, 1
  %is_even = icmp eq i32 %even, 0
  br i1 %is_even, label %loop, label %other
other:
  store i32 %element, ptr %out
  ret void
end:
  ret void
}
declare i32 @nv.load.i32.i32(i32, i32)
; ---- after join-branches
define void @k(i32 %limit, i1 %c, i1 %d, ptr %out) {
entry:
  %0 = and i1 %c, %d
  br i1 %0, label %loop, label %end
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %further ]
  %next = add i32 %n, 1
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %more, label %end
more:
  %element = call i32 @nv.load.i32.i32(i32 1, i32 %next)
  %leaves = icmp eq i32 %element, 0
  br i1 %leaves, label %end, label %further
further:
  %even = and i32 %element, 1
  %is_even = icmp eq i32 %even, 0
  br i1 %is_even, label %loop, label %other
other:
  store i32 %element, ptr %out
  ret void
end:
  ret void
}
