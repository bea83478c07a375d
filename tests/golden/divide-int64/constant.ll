; A quotient and a remainder by a constant share one multiplication by the inverse, here of 65 bits.
define i64 @k(i64 %x) {
entry:
  %q = udiv i64 %x, 7
  %r = urem i64 %x, 7
  %s = add i64 %q, %r
  ret i64 %s
}
; ---- after divide-int64
define i64 @k(i64 %x) {
entry:
  %0 = and i64 %x, 4294967295
  %1 = lshr i64 %x, 32
  %2 = mul i64 %0, 2454267027
  %3 = lshr i64 %2, 32
  %4 = mul i64 %1, 2454267027
  %5 = add i64 %4, %3
  %6 = mul i64 %0, 613566756
  %7 = and i64 %5, 4294967295
  %8 = add i64 %6, %7
  %9 = lshr i64 %5, 32
  %10 = lshr i64 %8, 32
  %11 = add i64 %9, %10
  %12 = mul i64 %1, 613566756
  %13 = add i64 %12, %11
  %14 = sub i64 %x, %13
  %15 = lshr i64 %14, 1
  %16 = add i64 %13, %15
  %17 = lshr i64 %16, 2
  %18 = mul i64 %17, 7
  %19 = sub i64 %x, %18
  %s = add i64 %17, %19
  ret i64 %s
}
