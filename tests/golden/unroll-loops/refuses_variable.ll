; Not unrolled: a variable changes in each round.
define i32 @k(i32 %n, i32 %b) {
entry:
  %p = alloca i32
  store i32 0, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %w = load i32, ptr %p
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %w)
  store i32 %v, ptr %p
  %sum = add i32 %s, %v
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n, i32 %b) {
entry:
  %p = alloca i32
  store i32 0, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %w = load i32, ptr %p
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %w)
  store i32 %v, ptr %p
  %sum = add i32 %s, %v
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
