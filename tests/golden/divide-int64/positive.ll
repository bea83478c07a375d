; What is known not to be negative needs no sign and no 65th bit.
define i64 @k(i32 %n) {
entry:
  %x = zext i32 %n to i64
  %y = mul i64 %x, %x
  %z = lshr i64 %y, 1
  %q = sdiv i64 %z, 1000003
  ret i64 %q
}
; ---- after divide-int64
define i64 @k(i32 %n) {
entry:
  %x = zext i32 %n to i64
  %y = mul i64 %x, %x
  %z = lshr i64 %y, 1
  %0 = and i64 %z, 4294967295
  %1 = lshr i64 %z, 32
  %2 = mul i64 %0, 1314573877
  %3 = lshr i64 %2, 32
  %4 = mul i64 %1, 1314573877
  %5 = add i64 %4, %3
  %6 = mul i64 %0, 2251793058
  %7 = and i64 %5, 4294967295
  %8 = add i64 %6, %7
  %9 = lshr i64 %5, 32
  %10 = lshr i64 %8, 32
  %11 = add i64 %9, %10
  %12 = mul i64 %1, 2251793058
  %13 = add i64 %12, %11
  %14 = lshr i64 %13, 19
  ret i64 %14
}
