; Signed numbers are divided without their signs; where the divisor's is known, so is one of the quotient's.
define i64 @k(i64 %x) {
entry:
  %q = sdiv i64 %x, -8
  %r = srem i64 %x, 10
  %s = add i64 %q, %r
  ret i64 %s
}
; ---- after divide-int64
define i64 @k(i64 %x) {
entry:
  %0 = ashr i64 %x, 63
  %1 = xor i64 %x, %0
  %2 = sub i64 %1, %0
  %3 = lshr i64 %2, 3
  %4 = xor i64 %3, %0
  %5 = sub i64 %4, %0
  %6 = xor i64 %5, -1
  %7 = sub i64 %6, -1
  %8 = ashr i64 %x, 63
  %9 = xor i64 %x, %8
  %10 = sub i64 %9, %8
  %11 = lshr i64 %10, 1
  %12 = and i64 %11, 4294967295
  %13 = lshr i64 %11, 32
  %14 = mul i64 %12, 3435973837
  %15 = lshr i64 %14, 32
  %16 = mul i64 %13, 3435973837
  %17 = add i64 %16, %15
  %18 = mul i64 %12, 3435973836
  %19 = and i64 %17, 4294967295
  %20 = add i64 %18, %19
  %21 = lshr i64 %17, 32
  %22 = lshr i64 %20, 32
  %23 = add i64 %21, %22
  %24 = mul i64 %13, 3435973836
  %25 = add i64 %24, %23
  %26 = lshr i64 %25, 2
  %27 = xor i64 %26, %8
  %28 = sub i64 %27, %8
  %29 = mul i64 %28, 10
  %30 = sub i64 %x, %29
  %s = add i64 %7, %30
  ret i64 %s
}
