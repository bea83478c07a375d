; Signs are changed on the bits: negation by a driver may flush denormals. Nothing is contracted.
define void @k(float %x, float %y) {
entry:
  %a = fneg float %x
  %b = call float @llvm.fabs.f32(float %a)
  %c = call float @llvm.copysign.f32(float %b, float %y)
  %d = call float @llvm.fmuladd.f32(float %x, float %y, float %c)
  %e = call i32 @nv.bits.f32(float %d)
  ret void
}
; ---- after expand-floats
define void @k(float %x, float %y) {
entry:
  %0 = bitcast float %x to i32
  %1 = xor i32 %0, -2147483648
  %a = bitcast i32 %1 to float
  %2 = bitcast float %a to i32
  %3 = and i32 %2, 2147483647
  %b = bitcast i32 %3 to float
  %4 = bitcast float %b to i32
  %5 = bitcast float %y to i32
  %6 = and i32 %4, 2147483647
  %7 = and i32 %5, -2147483648
  %8 = or i32 %6, %7
  %c = bitcast i32 %8 to float
  %9 = fmul float %x, %y
  %d = fadd float %9, %c
  %e = bitcast float %d to i32
  ret void
}
