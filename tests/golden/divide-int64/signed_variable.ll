; Signed numbers are divided without their signs: that of the remainder comes out by itself.
define i64 @k(i64 %x, i64 %y) {
entry:
  %r = srem i64 %x, %y
  ret i64 %r
}
; ---- after divide-int64
define i64 @k(i64 %x, i64 %y) {
entry:
  %0 = ashr i64 %x, 63
  %1 = xor i64 %x, %0
  %2 = sub i64 %1, %0
  %3 = ashr i64 %y, 63
  %4 = xor i64 %y, %3
  %5 = sub i64 %4, %3
  %6 = or i64 %2, %5
  %7 = lshr i64 %6, 32
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %entry.divide.words.0, label %entry.divide.whole.1
entry.divide.words.0:
  %9 = trunc i64 %2 to i32
  %10 = trunc i64 %5 to i32
  %11 = udiv i32 %9, %10
  %12 = zext i32 %11 to i64
  br label %entry.divided.2
entry.divide.whole.1:
  %13 = udiv i64 %2, %5
  br label %entry.divided.2
entry.divided.2:
  %14 = phi i64 [ %12, %entry.divide.words.0 ], [ %13, %entry.divide.whole.1 ]
  %15 = xor i64 %14, %0
  %16 = sub i64 %15, %0
  %17 = xor i64 %16, %3
  %18 = sub i64 %17, %3
  %19 = mul i64 %18, %y
  %20 = sub i64 %x, %19
  ret i64 %20
}
