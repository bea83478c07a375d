; A value that only feeds itself around a loop is not needed; loads are not either, stores are.
define void @k(i1 %c) {
entry:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %w = call i32 @nv.load.i32.i32(i32 1, i32 1)
  br label %loop
loop:
  %p = phi i32 [ 0, %entry ], [ %q, %loop ]
  %q = add i32 %p, %v
  %r = call i1 @nv.status.claim(i32 1)
  br i1 %c, label %loop, label %end
end:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %w)
  ret void
}
; ---- after eliminate-dead
define void @k(i1 %c) {
entry:
  %w = call i32 @nv.load.i32.i32(i32 1, i32 1)
  br label %loop
loop:
  %r = call i1 @nv.status.claim(i32 1)
  br i1 %c, label %loop, label %end
end:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %w)
  ret void
}
