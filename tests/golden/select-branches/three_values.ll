; LLVM leaves a branch on which three values depend, even where there is nothing to skip.
define void @k(i1 %c, float %x, float %y, ptr %out) {
entry:
  br i1 %c, label %left, label %right
left:
  %negated = fneg float %x
  br label %meeting
right:
  br label %meeting
meeting:
  %a = phi float [ %x, %left ], [ %y, %right ]
  %b = phi float [ %negated, %left ], [ %x, %right ]
  %d = phi float [ 1.000000e+00, %left ], [ 2.000000e+00, %right ]
  %ab = fmul float %a, %b
  %abd = fmul float %ab, %d
  store float %abd, ptr %out
  ret void
}
; ---- after select-branches
define void @k(i1 %c, float %x, float %y, ptr %out) {
entry:
  %negated = fneg float %x
  %0 = select i1 %c, float %x, float %y
  %1 = select i1 %c, float %negated, float %x
  %2 = select i1 %c, float 1.0, float 2.0
  %ab = fmul float %0, %1
  %abd = fmul float %ab, %2
  store float %abd, ptr %out
  ret void
}
