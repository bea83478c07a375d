; The squares that the test at the end computes are those that the next round needs; their difference is not among what
; was computed.
define void @k(float %cr, float %ci, float %start, ptr %out) {
entry:
  br label %loop
loop:
  %r = phi float [ %start, %entry ], [ %r2, %loop ]
  %i = phi float [ 0.0, %entry ], [ %i2, %loop ]
  %rr = fmul float %r, %r
  %ii = fmul float %i, %i
  %difference = fsub float %rr, %ii
  %r2 = fadd float %difference, %cr
  %ri = fmul float %i, %r
  %i2 = fadd float %ri, %ci
  %rr2 = fmul float %r2, %r2
  %ii2 = fmul float %i2, %i2
  %sum = fadd float %rr2, %ii2
  %leaves = fcmp ugt float %sum, 4.0
  br i1 %leaves, label %end, label %loop
end:
  store float %sum, ptr %out
  ret void
}
; ---- after carry-values
define void @k(float %cr, float %ci, float %start, ptr %out) {
entry:
  %rr = fmul float %start, %start
  %ii = fmul float 0.0, 0.0
  br label %loop
loop:
  %0 = phi float [ %rr, %entry ], [ %rr2, %loop ]
  %1 = phi float [ %ii, %entry ], [ %ii2, %loop ]
  %r = phi float [ %start, %entry ], [ %r2, %loop ]
  %i = phi float [ 0.0, %entry ], [ %i2, %loop ]
  %difference = fsub float %0, %1
  %r2 = fadd float %difference, %cr
  %ri = fmul float %i, %r
  %i2 = fadd float %ri, %ci
  %rr2 = fmul float %r2, %r2
  %ii2 = fmul float %i2, %i2
  %sum = fadd float %rr2, %ii2
  %leaves = fcmp ugt float %sum, 4.0
  br i1 %leaves, label %end, label %loop
end:
  store float %sum, ptr %out
  ret void
}
