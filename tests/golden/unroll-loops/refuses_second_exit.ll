; Not unrolled: a round that leaves the loop decides that those after it load nothing.
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %rest ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %found = icmp eq i32 %v, %b
  br i1 %found, label %done, label %rest
rest:
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %i
}
; ---- after unroll-loops
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %rest ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %found = icmp eq i32 %v, %b
  br i1 %found, label %done, label %rest
rest:
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %i
}
