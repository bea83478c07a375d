; Elementwise intrinsics of vectors become one call per lane.
define void @k(<2 x i16> %x, <2 x double> %y) {
entry:
  %a = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %x, <2 x i16> <i16 1, i16 2>)
  %b = call <2 x double> @llvm.fabs.v2f64(<2 x double> %y)
  ret void
}
; ---- after expand-intrinsics
define void @k(<2 x i16> %x, <2 x double> %y) {
entry:
  %0 = extractelement <2 x i16> %x, i32 0
  %1 = extractelement <2 x i16> <i16 1, i16 2>, i32 0
  %2 = icmp sgt i16 %0, %1
  %3 = select i1 %2, i16 %0, i16 %1
  %4 = insertelement <2 x i16> undef, i16 %3, i32 0
  %5 = extractelement <2 x i16> %x, i32 1
  %6 = extractelement <2 x i16> <i16 1, i16 2>, i32 1
  %7 = icmp sgt i16 %5, %6
  %8 = select i1 %7, i16 %5, i16 %6
  %a = insertelement <2 x i16> %4, i16 %8, i32 1
  %9 = extractelement <2 x double> %y, i32 0
  %10 = call double @llvm.fabs.f64(double %9)
  %11 = insertelement <2 x double> undef, double %10, i32 0
  %12 = extractelement <2 x double> %y, i32 1
  %13 = call double @llvm.fabs.f64(double %12)
  %b = insertelement <2 x double> %11, double %13, i32 1
  ret void
}
