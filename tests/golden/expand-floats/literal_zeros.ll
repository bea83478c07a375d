; Drivers fold operations with a literal zero as if there were no signed zeros, infinities and NaN.
define void @k(float %x) {
entry:
  %a = fadd float %x, 0.000000e+00
  %b = fsub float 0.000000e+00, %x
  %c = fmul float %x, -0.000000e+00
  %d = fdiv float %x, 0.000000e+00
  %e = fdiv float 0.000000e+00, %x
  %f = fadd float %x, -0.000000e+00
  %g = fsub float %x, 0.000000e+00
  ret void
}
; ---- after expand-floats
define void @k(float %x) {
entry:
  %0 = bitcast float %x to i32
  %1 = icmp eq i32 %0, -2147483648
  %2 = select i1 %1, i32 0, i32 %0
  %a = bitcast i32 %2 to float
  %3 = bitcast float %x to i32
  %4 = xor i32 %3, -2147483648
  %5 = icmp eq i32 %4, -2147483648
  %6 = select i1 %5, i32 0, i32 %4
  %b = bitcast i32 %6 to float
  %7 = bitcast float %x to i32
  %8 = and i32 %7, 2147483647
  %9 = icmp ult i32 %8, 2139095040
  %10 = and i32 %7, -2147483648
  %11 = xor i32 %10, -2147483648
  %12 = select i1 %9, i32 %11, i32 2143289344
  %c = bitcast i32 %12 to float
  %13 = bitcast float %x to i32
  %14 = and i32 %13, 2147483647
  %15 = sub i32 %14, 1
  %16 = icmp ult i32 %15, 2139095040
  %17 = and i32 %13, -2147483648
  %18 = or i32 %17, 2139095040
  %19 = select i1 %16, i32 %18, i32 2143289344
  %d = bitcast i32 %19 to float
  %20 = bitcast float %x to i32
  %21 = and i32 %20, 2147483647
  %22 = sub i32 %21, 1
  %23 = icmp ult i32 %22, 2139095040
  %24 = and i32 %20, -2147483648
  %25 = select i1 %23, i32 %24, i32 2143289344
  %e = bitcast i32 %25 to float
  %f = fadd float %x, -0.0
  %g = fsub float %x, 0.0
  ret void
}
