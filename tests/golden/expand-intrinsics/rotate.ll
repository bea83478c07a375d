; A funnel shift counts modulo the width, also where that is no power of two, and never shifts by the whole width.
define void @k(i24 %x, i32 %y, i32 %d) {
entry:
  %r = call i32 @llvm.fshl.i32(i32 %y, i32 %y, i32 %d)
  %s = call i32 @llvm.fshr.i32(i32 %y, i32 %y, i32 7)
  %t = call i24 @llvm.fshl.i24(i24 %x, i24 %x, i24 %x)
  ret void
}
; ---- after expand-intrinsics
define void @k(i24 %x, i32 %y, i32 %d) {
entry:
  %0 = and i32 %d, 31
  %1 = sub i32 31, %0
  %2 = shl i32 %y, %0
  %3 = lshr i32 %y, 1
  %4 = lshr i32 %3, %1
  %r = or i32 %2, %4
  %5 = shl i32 %y, 1
  %6 = shl i32 %5, 24
  %7 = lshr i32 %y, 7
  %s = or i32 %6, %7
  %8 = urem i24 %x, 24
  %9 = sub i24 23, %8
  %10 = shl i24 %x, %8
  %11 = lshr i24 %x, 1
  %12 = lshr i24 %11, %9
  %t = or i24 %10, %12
  ret void
}
