; Without 8-bit storage an element is a part of a word; a store changes its part atomically, for neighbours may be written by others.
; without: storage8
define void @k(i32 %i, i32 %v) {
entry:
  %a = call i8 @nv.load.i8.i32(i32 1, i32 %i)
  %z = zext i8 %a to i32
  %s = sext i8 %a to i32
  %t = trunc i32 %v to i8
  call void @nv.store.i8.i32(i32 2, i32 %i, i8 %t)
  call void @nv.store.i8.i32(i32 2, i32 5, i8 0)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, i32 %v) {
entry:
  %0 = lshr i32 %i, 2
  %1 = and i32 %i, 3
  %2 = shl i32 %1, 3
  %3 = call i32 @nv.load.i32.i32(i32 1, i32 %0)
  %4 = lshr i32 %3, %2
  %a = and i32 %4, 255
  %5 = shl i32 %a, 24
  %s = ashr i32 %5, 24
  %6 = lshr i32 %i, 2
  %7 = and i32 %i, 3
  %8 = shl i32 %7, 3
  %9 = and i32 %v, 255
  %10 = shl i32 255, %8
  %11 = shl i32 %9, %8
  %12 = xor i32 %10, -1
  call void @nv.word.and(i32 2, i32 %6, i32 %12)
  call void @nv.word.or(i32 2, i32 %6, i32 %11)
  call void @nv.word.and(i32 2, i32 1, i32 -65281)
  ret void
}
