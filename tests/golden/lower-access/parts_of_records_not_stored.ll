; A device that cannot store bytes but can store halves of words.
; without: storage8
; records: 1
define void @k(i32 %i, i32 %v) {
entry:
  %a = trunc i32 %v to i8
  call void @"nv.store.i8+16.i32"(i32 1, i32 %i, i8 %a)
  %b = trunc i32 %v to i16
  call void @"nv.store.i16+16.i32"(i32 1, i32 %i, i16 %b)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, i32 %v) {
entry:
  %0 = and i32 %v, 255
  %1 = shl i32 %0, 16
  call void @nv.word.and(i32 1, i32 %i, i32 -16711681)
  call void @nv.word.or(i32 1, i32 %i, i32 %1)
  %2 = shl i32 %i, 1
  %3 = trunc i32 %v to i16
  %4 = add i32 %2, 1
  call void @nv.store.i16.i32(i32 1, i32 %4, i16 %3)
  ret void
}
