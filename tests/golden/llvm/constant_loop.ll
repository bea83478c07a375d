; A loop of few rounds whose number is constant is gone.
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i32.i32(i32, i32, i32)
define void @k() {
entry:
  br label %head
head:
  %left = phi i64 [ 4, %entry ], [ %less, %body ]
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %sum, %body ]
  %go = icmp sgt i64 %left, 0
  br i1 %go, label %body, label %done
body:
  %less = add nsw i64 %left, -1
  %next = add i64 %i, 1
  %word = trunc i64 %i to i32
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %word)
  %sum = add i32 %s, %v
  br label %head
done:
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %s)
  ret void
}
; ---- after llvm
define void @k() {
entry:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 1)
  %sum.1 = add i32 %v, %v.1
  %v.2 = call i32 @nv.load.i32.i32(i32 1, i32 2)
  %sum.2 = add i32 %sum.1, %v.2
  %v.3 = call i32 @nv.load.i32.i32(i32 1, i32 3)
  %sum.3 = add i32 %sum.2, %v.3
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %sum.3)
  ret void
}
