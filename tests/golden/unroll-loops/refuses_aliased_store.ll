; Not unrolled: the other array may be the same memory.
; arrays: 2
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %v)
  %sum = add i32 %s, 1
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
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %v)
  %sum = add i32 %s, 1
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
