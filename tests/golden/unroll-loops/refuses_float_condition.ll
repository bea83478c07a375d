; Not unrolled: no counter decides.
define float @k(float %limit) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %v = call float @nv.load.f32.i32(i32 1, i32 %i)
  %sum = fadd float %s, %v
  %next = add i32 %i, 1
  %go = fcmp olt float %sum, %limit
  br i1 %go, label %loop, label %done
done:
  ret float %sum
}
; ---- after unroll-loops
define float @k(float %limit) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %v = call float @nv.load.f32.i32(i32 1, i32 %i)
  %sum = fadd float %s, %v
  %next = add i32 %i, 1
  %go = fcmp olt float %sum, %limit
  br i1 %go, label %loop, label %done
done:
  ret float %sum
}
