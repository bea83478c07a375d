; Of signed numbers those without a sign are divided as words if they fit, the others without their signs.
define i64 @k(i64 %x, i64 %y) {
entry:
  %r = srem i64 %x, %y
  ret i64 %r
}
; ---- after divide-int64
define i64 @k(i64 %x, i64 %y) {
entry:
  %0 = or i64 %x, %y
  %1 = lshr i64 %0, 32
  %2 = icmp eq i64 %1, 0
  br i1 %2, label %entry.divide.words.0, label %entry.divide.whole.1
entry.divide.words.0:
  %3 = trunc i64 %x to i32
  %4 = trunc i64 %y to i32
  %5 = udiv i32 %3, %4
  %6 = zext i32 %5 to i64
  br label %entry.divided.2
entry.divide.whole.1:
  %7 = ashr i64 %x, 63
  %8 = xor i64 %x, %7
  %9 = sub i64 %8, %7
  %10 = ashr i64 %y, 63
  %11 = xor i64 %y, %10
  %12 = sub i64 %11, %10
  %13 = or i64 %9, %12
  %14 = lshr i64 %13, 32
  %15 = icmp eq i64 %14, 0
  br i1 %15, label %entry.divide.words.3, label %entry.divide.whole.4
entry.divide.words.3:
  %16 = trunc i64 %9 to i32
  %17 = trunc i64 %12 to i32
  %18 = udiv i32 %16, %17
  %19 = zext i32 %18 to i64
  br label %entry.divided.5
entry.divide.whole.4:
  %20 = udiv i64 %9, %12
  br label %entry.divided.5
entry.divided.5:
  %21 = phi i64 [ %19, %entry.divide.words.3 ], [ %20, %entry.divide.whole.4 ]
  %22 = xor i64 %21, %7
  %23 = sub i64 %22, %7
  %24 = xor i64 %23, %10
  %25 = sub i64 %24, %10
  br label %entry.divided.2
entry.divided.2:
  %26 = phi i64 [ %6, %entry.divide.words.0 ], [ %25, %entry.divided.5 ]
  %27 = mul i64 %26, %y
  %28 = sub i64 %x, %27
  ret i64 %28
}
