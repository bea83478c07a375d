; Whether numbers are ordered is tested on the bits: drivers assume that there are no NaN.
define void @k(float %x, double %y) {
entry:
  %a = fcmp ord float %x, 0.0
  %b = fcmp uno double %y, %y
  %c = fcmp uno float %x, 0x7FF8000000000000
  %d = call i1 @llvm.is.fpclass.f32(float %x, i32 515)
  ret void
}
; ---- after expand-floats
define void @k(float %x, double %y) {
entry:
  %0 = bitcast float %x to i32
  %1 = and i32 %0, 2147483647
  %2 = icmp ugt i32 %1, 2139095040
  %a = xor i1 %2, true
  %3 = bitcast double %y to i64
  %4 = and i64 %3, 9223372036854775807
  %b = icmp ugt i64 %4, 9218868437227405312
  %5 = bitcast float %x to i32
  %6 = and i32 %5, 2147483647
  %7 = icmp ugt i32 %6, 2139095040
  %8 = icmp ugt i32 2143289344, 2139095040
  %c = or i1 %7, %8
  %9 = bitcast float %x to i32
  %10 = sub i32 %9, 2139095040
  %11 = icmp ule i32 %10, 8388607
  %12 = sub i32 %9, -8388607
  %13 = icmp ule i32 %12, 8388606
  %d = or i1 %13, %11
  ret void
}
