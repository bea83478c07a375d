; Minimum with NaN: minnum gives the other operand, minimum gives NaN; -0.0 is less than 0.0.
define void @k(float %x, float %y) {
entry:
  %a = call float @llvm.minnum.f32(float %x, float %y)
  %b = call float @llvm.maximum.f32(float %x, float 0.0)
  ret void
}
; ---- after expand-floats
define void @k(float %x, float %y) {
entry:
  %0 = bitcast float %x to i32
  %1 = bitcast float %y to i32
  %2 = or i32 %0, %1
  %3 = bitcast i32 %2 to float
  %4 = fcmp olt float %x, %y
  %5 = select i1 %4, float %x, float %y
  %6 = fcmp oeq float %x, %y
  %7 = select i1 %6, float %3, float %5
  %8 = bitcast float %y to i32
  %9 = and i32 %8, 2147483647
  %10 = icmp ugt i32 %9, 2139095040
  %a = select i1 %10, float %x, float %7
  %11 = bitcast float %x to i32
  %12 = fcmp ogt float %x, 0.0
  %13 = select i1 %12, float %x, float 0.0
  %14 = fcmp oeq float %x, 0.0
  %15 = select i1 %14, float 0.0, float %13
  %16 = bitcast float %x to i32
  %17 = and i32 %16, 2147483647
  %18 = icmp ugt i32 %17, 2139095040
  %b = select i1 %18, float %x, float %15
  ret void
}
