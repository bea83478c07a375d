; Rounding works on the bits: no driver is asked, and the sign of zero stays.
define void @k(float %x) {
entry:
  %f = call float @llvm.floor.f32(float %x)
  ret void
}
; ---- after expand-floats
define void @k(float %x) {
entry:
  %0 = bitcast float %x to i32
  %1 = and i32 %0, 2147483647
  %2 = lshr i32 %1, 23
  %3 = sub i32 %2, 127
  %4 = and i32 %3, 31
  %5 = lshr i32 8388607, %4
  %6 = ashr i32 %0, 31
  %7 = and i32 %5, %6
  %8 = add i32 %0, %7
  %9 = xor i32 %5, -1
  %10 = and i32 %8, %9
  %11 = icmp ult i32 %1, 1065353216
  %12 = icmp ugt i32 %0, -2147483648
  %13 = and i32 %0, -2147483648
  %14 = select i1 %12, i32 -1082130432, i32 %13
  %15 = select i1 %11, i32 %14, i32 %10
  %16 = icmp uge i32 %1, 1258291200
  %17 = select i1 %16, i32 %0, i32 %15
  %f = bitcast i32 %17 to float
  ret void
}
