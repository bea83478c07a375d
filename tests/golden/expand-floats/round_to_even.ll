; Halves go to the even neighbour; a carry out of the mantissa is right as it is.
define void @k(double %x) {
entry:
  %f = call double @llvm.rint.f64(double %x)
  ret void
}
; ---- after expand-floats
define void @k(double %x) {
entry:
  %0 = bitcast double %x to i64
  %1 = and i64 %0, 9223372036854775807
  %2 = lshr i64 %1, 52
  %3 = sub i64 %2, 1023
  %4 = and i64 %3, 63
  %5 = lshr i64 4503599627370495, %4
  %6 = sub i64 52, %4
  %7 = and i64 %6, 63
  %8 = lshr i64 %0, %7
  %9 = and i64 %8, 1
  %10 = lshr i64 %5, 1
  %11 = add i64 %10, %9
  %12 = add i64 %0, %11
  %13 = xor i64 %5, -1
  %14 = and i64 %12, %13
  %15 = icmp ult i64 %1, 4607182418800017408
  %16 = and i64 %0, 9223372036854775807
  %17 = icmp ugt i64 %16, 4602678819172646912
  %18 = and i64 %0, -9223372036854775808
  %19 = or i64 %18, 4607182418800017408
  %20 = and i64 %0, -9223372036854775808
  %21 = select i1 %17, i64 %19, i64 %20
  %22 = select i1 %15, i64 %21, i64 %14
  %23 = icmp uge i64 %1, 4841369599423283200
  %24 = select i1 %23, i64 %0, i64 %22
  %f = bitcast i64 %24 to double
  ret void
}
