; The same for 16 bits, with an index of 64 bits where the device has int64.
; without: storage16
define void @k(i64 %i, i32 %v) {
entry:
  %a = call i16 @nv.load.i16.i64(i32 1, i64 %i)
  %z = zext i16 %a to i32
  %t = trunc i32 %v to i16
  call void @nv.store.i16.i64(i32 2, i64 %i, i16 %t)
  ret void
}
; ---- after lower-access
define void @k(i64 %i, i32 %v) {
entry:
  %0 = lshr i64 %i, 1
  %1 = trunc i64 %i to i32
  %2 = and i32 %1, 1
  %3 = shl i32 %2, 4
  %4 = call i32 @nv.load.i32.i64(i32 1, i64 %0)
  %5 = lshr i32 %4, %3
  %a = and i32 %5, 65535
  %6 = lshr i64 %i, 1
  %7 = trunc i64 %i to i32
  %8 = and i32 %7, 1
  %9 = shl i32 %8, 4
  %10 = and i32 %v, 65535
  %11 = shl i32 65535, %9
  %12 = shl i32 %10, %9
  %13 = xor i32 %11, -1
  call void @nv.word.and(i32 2, i64 %6, i32 %13)
  call void @nv.word.or(i32 2, i64 %6, i32 %12)
  ret void
}
