; A minimum that changes nothing exchanges nothing.
define float @k(i32 %i, float %v) {
entry:
  %a = call float @nv.atomic.fmin.f32(i32 1, i32 %i, float %v)
  ret float %a
}
; ---- after lower-atomics
define float @k(i32 %i, float %v) {
entry:
  %0 = call i32 @nv.atomic.peek.i32(i32 1, i32 %i)
  br label %entry.again
entry.again:
  %1 = phi i32 [ %0, %entry ], [ %9, %entry.again.try ]
  %2 = bitcast i32 %1 to float
  %3 = fcmp olt float %2, %v
  %4 = fcmp uno float %2, %2
  %5 = or i1 %3, %4
  %6 = select i1 %5, float %2, float %v
  %7 = bitcast float %6 to i32
  %8 = icmp ne i32 %7, %1
  br i1 %8, label %entry.again.try, label %entry.after
entry.again.try:
  %9 = call i32 @nv.atomic.swap.i32(i32 1, i32 %i, i32 %1, i32 %7)
  %10 = icmp eq i32 %9, %1
  br i1 %10, label %entry.after, label %entry.again
entry.after:
  ret float %2
}
