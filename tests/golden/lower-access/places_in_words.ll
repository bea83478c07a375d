; Fields of records: at a known bit of a word, or at a multiple of two bytes; words that they share are changed atomically.
define void @k(i32 %i, double %v) {
entry:
  %a = call i64 @"nv.load.i64+0.i32"(i32 1, i32 %i)
  %b = call float @"nv.load.f32/2.i32"(i32 1, i32 %i)
  %c = call i16 @"nv.load.i16+16.i32"(i32 1, i32 %i)
  %w = zext i16 %c to i32
  %t = trunc i32 %w to i16
  call void @"nv.store.i64+8.i32"(i32 2, i32 %i, i64 %a)
  call void @"nv.store.f32/2.i32"(i32 2, i32 %i, float %b)
  call void @"nv.store.i16+24.i32"(i32 2, i32 %i, i16 %t)
  call void @"nv.store.f64+0.i32"(i32 2, i32 %i, double %v)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, double %v) {
entry:
  %0 = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %1 = add i32 %i, 1
  %2 = call i32 @nv.load.i32.i32(i32 1, i32 %1)
  %a = call i64 @nv.join.i64(i32 %0, i32 %2)
  %3 = lshr i32 %i, 1
  %4 = and i32 %i, 1
  %5 = shl i32 %4, 4
  %6 = call i32 @nv.load.i32.i32(i32 1, i32 %3)
  %7 = add i32 %5, 31
  %8 = lshr i32 %7, 5
  %9 = add i32 %3, %8
  %10 = call i32 @nv.load.i32.i32(i32 1, i32 %9)
  %11 = lshr i32 %6, %5
  %12 = shl i32 %10, 1
  %13 = sub i32 31, %5
  %14 = shl i32 %12, %13
  %15 = or i32 %11, %14
  %b = bitcast i32 %15 to float
  %16 = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %c = lshr i32 %16, 16
  %17 = call i32 @nv.low.i64(i64 %a)
  %18 = call i32 @nv.high.i64(i64 %a)
  %19 = add i32 %i, 1
  %20 = add i32 %i, 2
  %21 = shl i32 %17, 8
  call void @nv.word.and(i32 2, i32 %i, i32 255)
  call void @nv.word.or(i32 2, i32 %i, i32 %21)
  %22 = shl i32 %18, 8
  %23 = lshr i32 %17, 24
  %24 = or i32 %22, %23
  call void @nv.store.i32.i32(i32 2, i32 %19, i32 %24)
  %25 = lshr i32 %18, 24
  call void @nv.word.and(i32 2, i32 %20, i32 -256)
  call void @nv.word.or(i32 2, i32 %20, i32 %25)
  %26 = lshr i32 %i, 1
  %27 = and i32 %i, 1
  %28 = shl i32 %27, 4
  %29 = bitcast float %b to i32
  %30 = add i32 %28, 31
  %31 = lshr i32 %30, 5
  %32 = add i32 %26, %31
  %33 = shl i32 -1, %28
  %34 = shl i32 %29, %28
  %35 = xor i32 %33, -1
  call void @nv.word.and(i32 2, i32 %26, i32 %35)
  call void @nv.word.or(i32 2, i32 %26, i32 %34)
  %36 = sub i32 31, %28
  %37 = lshr i32 2147483647, %36
  %38 = lshr i32 %29, 1
  %39 = sub i32 31, %28
  %40 = lshr i32 %38, %39
  %41 = xor i32 %37, -1
  call void @nv.word.and(i32 2, i32 %32, i32 %41)
  call void @nv.word.or(i32 2, i32 %32, i32 %40)
  %42 = and i32 %c, 65535
  %43 = add i32 %i, 1
  %44 = shl i32 %42, 24
  call void @nv.word.and(i32 2, i32 %i, i32 16777215)
  call void @nv.word.or(i32 2, i32 %i, i32 %44)
  %45 = lshr i32 %42, 8
  call void @nv.word.and(i32 2, i32 %43, i32 -256)
  call void @nv.word.or(i32 2, i32 %43, i32 %45)
  %46 = call i32 @nv.low.f64(double %v)
  %47 = call i32 @nv.high.f64(double %v)
  %48 = add i32 %i, 1
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %46)
  call void @nv.store.i32.i32(i32 2, i32 %48, i32 %47)
  ret void
}
