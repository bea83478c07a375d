; Promoted values have zeros above their width, so signed operations extend the sign first.
define void @k(i8 %x, i48 %y) {
entry:
  %d = sdiv i8 %x, -7
  %c = icmp slt i8 %d, %x
  %a = ashr i48 %y, 3
  %w = sext i48 %a to i64
  %f = sitofp i8 %x to float
  %g = uitofp i8 %d to float
  ret void
}
; ---- after promote-ints
define void @k(i32 %x, i64 %y) {
entry:
  %0 = shl i32 %x, 24
  %1 = ashr i32 %0, 24
  %2 = sdiv i32 %1, -7
  %d = and i32 %2, 255
  %3 = shl i32 %d, 24
  %4 = ashr i32 %3, 24
  %c = icmp slt i32 %4, %1
  %5 = shl i64 %y, 16
  %6 = ashr i64 %5, 16
  %7 = ashr i64 %6, 3
  %a = and i64 %7, 281474976710655
  %8 = shl i64 %a, 16
  %w = ashr i64 %8, 16
  %f = sitofp i32 %1 to float
  %g = sitofp i32 %d to float
  ret void
}
