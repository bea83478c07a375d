; Not unrolled: the element may lie outside of the array in rounds that do not load it.
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %s = phi i32 [ 0, %entry ], [ %sum, %join ]
  %c = icmp slt i32 %i, %b
  br i1 %c, label %there, label %join
there:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  br label %join
join:
  %w = phi i32 [ 0, %loop ], [ %v, %there ]
  %sum = add i32 %s, %w
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %s = phi i32 [ 0, %entry ], [ %sum, %join ]
  %c = icmp slt i32 %i, %b
  br i1 %c, label %there, label %join
there:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  br label %join
join:
  %w = phi i32 [ 0, %loop ], [ %v, %there ]
  %sum = add i32 %s, %w
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
