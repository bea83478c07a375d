; What follows llvm.trap never runs: its block ends there, and blocks that only it led to are gone.
define void @k(i1 %c) {
entry:
  br i1 %c, label %bad, label %good
bad:
  call void @llvm.trap()
  br label %after
after:
  br label %good
good:
  %p = phi i32 [ 1, %entry ], [ 2, %after ]
  %q = add i32 %p, 1
  ret void
}
; ---- after expand-intrinsics
define void @k(i1 %c) {
entry:
  br i1 %c, label %bad, label %good
bad:
  unreachable
good:
  %p = phi i32 [ 1, %entry ]
  %q = add i32 %p, 1
  ret void
}
