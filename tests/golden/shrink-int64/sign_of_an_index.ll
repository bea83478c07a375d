; Whether an index is negative is decided by the interval of the value that its word comes from.
define void @k() {
entry:
  %n = call i32 @nv.param.extent(i32 0)
  %rounds = zext i32 %n to i64
  br label %head
head:
  %left = phi i64 [ %rounds, %entry ], [ %less, %body ]
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp sgt i64 %left, 0
  br i1 %go, label %body, label %done
body:
  %less = add i64 %left, -1
  %next = add i64 %i, 1
  %word = trunc i64 %i to i32
  %negative = icmp slt i32 %word, 0
  %extent = select i1 %negative, i32 %n, i32 0
  %at = add i32 %extent, %word
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %at)
  call void @nv.store.i32.i32(i32 2, i32 %at, i32 %v)
  br label %head
done:
  ret void
}
; ---- after shrink-int64
define void @k() {
entry:
  %n = call i32 @nv.param.extent(i32 0)
  %rounds = zext i32 %n to i64
  br label %head
head:
  %left = phi i32 [ %n, %entry ], [ %less, %body ]
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %0 = zext i32 %left to i64
  %1 = zext i32 %i to i64
  %2 = icmp sgt i32 %left, 0
  br i1 %2, label %body, label %done
body:
  %less = add i32 %left, -1
  %3 = zext i32 %less to i64
  %next = add i32 %i, 1
  %4 = zext i32 %next to i64
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %v)
  br label %head
done:
  ret void
}
