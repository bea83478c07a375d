; Words are divided where both numbers fit into one; phis behind take what comes from the last of the new blocks.
define i64 @k(i64 %x, i64 %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %q, %loop ]
  %q = udiv i64 %i, %y
  %go = icmp ne i64 %q, 0
  br i1 %go, label %loop, label %end
end:
  ret i64 %q
}
; ---- after divide-int64
define i64 @k(i64 %x, i64 %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %8, %loop.divided.2 ]
  %0 = or i64 %i, %y
  %1 = lshr i64 %0, 32
  %2 = icmp eq i64 %1, 0
  br i1 %2, label %loop.divide.words.0, label %loop.divide.whole.1
loop.divide.words.0:
  %3 = trunc i64 %i to i32
  %4 = trunc i64 %y to i32
  %5 = udiv i32 %3, %4
  %6 = zext i32 %5 to i64
  br label %loop.divided.2
loop.divide.whole.1:
  %7 = udiv i64 %i, %y
  br label %loop.divided.2
loop.divided.2:
  %8 = phi i64 [ %6, %loop.divide.words.0 ], [ %7, %loop.divide.whole.1 ]
  %go = icmp ne i64 %8, 0
  br i1 %go, label %loop, label %end
end:
  ret i64 %8
}
