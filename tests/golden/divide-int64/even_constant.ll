; Of an even divisor the zeros are shifted away, and what is left has an inverse of 64 bits.
define i64 @k(i64 %x) {
entry:
  %q = udiv i64 %x, 36
  ret i64 %q
}
; ---- after divide-int64
define i64 @k(i64 %x) {
entry:
  %0 = lshr i64 %x, 2
  %1 = and i64 %0, 4294967295
  %2 = lshr i64 %0, 32
  %3 = mul i64 %1, 2386092943
  %4 = lshr i64 %3, 32
  %5 = mul i64 %2, 2386092943
  %6 = add i64 %5, %4
  %7 = mul i64 %1, 3817748707
  %8 = and i64 %6, 4294967295
  %9 = add i64 %7, %8
  %10 = lshr i64 %6, 32
  %11 = lshr i64 %9, 32
  %12 = add i64 %10, %11
  %13 = mul i64 %2, 3817748707
  %14 = add i64 %13, %12
  %15 = lshr i64 %14, 3
  ret i64 %15
}
