; Undef and poison are zero, and freeze is gone.
define void @k(i32 %x, i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %p = phi float [ undef, %entry ], [ 1.0, %left ]
  %f = freeze i32 %x
  %g = freeze i32 poison
  %s = add i32 %f, %g
  ret void
}
; ---- after settle-undefined
define void @k(i32 %x, i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %p = phi float [ 0.0, %entry ], [ 1.0, %left ]
  %s = add i32 %x, 0
  ret void
}
