; Fields that fill parts of words are stored as such, packed ones in several; but not where whole words change atomically.
; records: 2
define void @k(i32 %i, i32 %v, float %x) {
entry:
  %a = trunc i32 %v to i8
  call void @"nv.store.i8+16.i32"(i32 1, i32 %i, i8 %a)
  %b = trunc i32 %v to i16
  call void @nv.store.i16.i32(i32 1, i32 %i, i16 %b)
  call void @"nv.store.f32/2.i32"(i32 1, i32 %i, float %x)
  %c = trunc i32 %v to i16
  call void @"nv.store.i16+24.i32"(i32 1, i32 %i, i16 %c)
  call void @"nv.store.f32+0.i32"(i32 1, i32 %i, float %x)
  %old = call i32 @nv.atomic.add.i32(i32 2, i32 %i, i32 1)
  %d = trunc i32 %v to i8
  call void @"nv.store.i8+16.i32"(i32 2, i32 %i, i8 %d)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, i32 %v, float %x) {
entry:
  %0 = shl i32 %i, 2
  %1 = trunc i32 %v to i8
  %2 = add i32 %0, 2
  call void @nv.store.i8.i32(i32 1, i32 %2, i8 %1)
  %3 = trunc i32 %v to i16
  call void @nv.store.i16.i32(i32 1, i32 %i, i16 %3)
  %4 = bitcast float %x to i32
  %5 = trunc i32 %4 to i16
  call void @nv.store.i16.i32(i32 1, i32 %i, i16 %5)
  %6 = lshr i32 %4, 16
  %7 = trunc i32 %6 to i16
  %8 = add i32 %i, 1
  call void @nv.store.i16.i32(i32 1, i32 %8, i16 %7)
  %9 = shl i32 %i, 2
  %10 = trunc i32 %v to i8
  %11 = add i32 %9, 3
  call void @nv.store.i8.i32(i32 1, i32 %11, i8 %10)
  %12 = lshr i32 %v, 8
  %13 = trunc i32 %12 to i8
  %14 = add i32 %9, 4
  call void @nv.store.i8.i32(i32 1, i32 %14, i8 %13)
  %15 = bitcast float %x to i32
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %15)
  %old = call i32 @nv.atomic.add.i32(i32 2, i32 %i, i32 1)
  %16 = and i32 %v, 255
  %17 = shl i32 %16, 16
  call void @nv.word.and(i32 2, i32 %i, i32 -16711681)
  call void @nv.word.or(i32 2, i32 %i, i32 %17)
  ret void
}
