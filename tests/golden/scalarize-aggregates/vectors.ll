; Vectors are taken apart; regrouping their bits puts the first lane lowest.
define void @k(i32 %x, i64 %y) {
entry:
  %v = insertelement <2 x i32> poison, i32 %x, i32 0
  %a = add <2 x i32> %v, <i32 1, i32 2>
  %s = shufflevector <2 x i32> %a, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %b = bitcast <2 x i32> %s to i64
  %c = bitcast i64 %y to <4 x i16>
  %d = extractelement <4 x i16> %c, i32 3
  ret void
}
; ---- after scalarize-aggregates
define void @k(i32 %x, i64 %y) {
entry:
  %0 = add i32 %x, 1
  %1 = add i32 undef, 2
  %2 = zext i32 %1 to i64
  %3 = zext i32 %0 to i64
  %4 = shl i64 %3, 32
  %5 = or i64 %4, %2
  %6 = trunc i64 %y to i16
  %7 = lshr i64 %y, 16
  %8 = trunc i64 %7 to i16
  %9 = lshr i64 %y, 32
  %10 = trunc i64 %9 to i16
  %11 = lshr i64 %y, 48
  %12 = trunc i64 %11 to i16
  ret void
}
