; A product that only one sum uses is computed with it; a constant is negated at once, other values by an instruction.
define void @k(float %a, float %b, float %c, ptr %out) {
entry:
  %p = fmul float %a, %b
  %s = fadd float %c, %p
  %q = fmul float %a, 2.500000e+00
  %t = fsub float %s, %q
  %r = fmul float %t, %b
  %u = fsub float %r, %c
  store float %u, ptr %out
  ret void
}
; ---- after contract
define void @k(float %a, float %b, float %c, ptr %out) {
entry:
  %p = fmul float %a, %b
  %s = call float @llvm.fma.f32(float %a, float %b, float %c)
  %q = fmul float %a, 2.5
  %t = call float @llvm.fma.f32(float %a, float -2.5, float %s)
  %r = fmul float %t, %b
  %0 = fneg float %c
  %u = call float @llvm.fma.f32(float %t, float %b, float %0)
  store float %u, ptr %out
  ret void
}
