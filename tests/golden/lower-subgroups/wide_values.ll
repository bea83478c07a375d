; Values of 64 bits move as words; integers are added in parts of 16 bits, so that no carry is lost in a sum of words.
; without: subgroup_int64
define void @k(i64 %v, double %d, i32 %lane) {
entry:
  %a = call i64 @nv.subgroup.shuffle.i64(i64 %v, i32 %lane)
  %b = call i64 @nv.subgroup.inclusive.iadd.i64(i64 %a)
  %c = call i64 @nv.subgroup.reduce.or.i64(i64 %b)
  %e = call double @nv.subgroup.first.f64(double %d)
  %f = call double @nv.subgroup.reduce.fadd.f64(double %e)
  call void @nv.store.i64.i32(i32 1, i32 0, i64 %c)
  call void @nv.store.f64.i32(i32 2, i32 0, double %f)
  ret void
}
; ---- after lower-subgroups
define void @k(i64 %v, double %d, i32 %lane) {
entry:
  %0 = call i32 @nv.low.i64(i64 %v)
  %1 = call i32 @nv.subgroup.shuffle.i32(i32 %0, i32 %lane)
  %2 = call i32 @nv.high.i64(i64 %v)
  %3 = call i32 @nv.subgroup.shuffle.i32(i32 %2, i32 %lane)
  %a = call i64 @nv.join.i64(i32 %1, i32 %3)
  %4 = call i32 @nv.low.i64(i64 %a)
  %5 = and i32 %4, 65535
  %6 = call i32 @nv.subgroup.inclusive.iadd.i32(i32 %5)
  %7 = zext i32 %6 to i64
  %8 = lshr i32 %4, 16
  %9 = and i32 %8, 65535
  %10 = call i32 @nv.subgroup.inclusive.iadd.i32(i32 %9)
  %11 = zext i32 %10 to i64
  %12 = shl i64 %11, 16
  %13 = add i64 %12, %7
  %14 = call i32 @nv.high.i64(i64 %a)
  %15 = and i32 %14, 65535
  %16 = call i32 @nv.subgroup.inclusive.iadd.i32(i32 %15)
  %17 = zext i32 %16 to i64
  %18 = shl i64 %17, 32
  %19 = add i64 %18, %13
  %20 = lshr i32 %14, 16
  %21 = and i32 %20, 65535
  %22 = call i32 @nv.subgroup.inclusive.iadd.i32(i32 %21)
  %23 = zext i32 %22 to i64
  %24 = shl i64 %23, 48
  %b = add i64 %24, %19
  %25 = call i32 @nv.low.i64(i64 %b)
  %26 = call i32 @nv.subgroup.reduce.or.i32(i32 %25)
  %27 = call i32 @nv.high.i64(i64 %b)
  %28 = call i32 @nv.subgroup.reduce.or.i32(i32 %27)
  %c = call i64 @nv.join.i64(i32 %26, i32 %28)
  %29 = call i32 @nv.low.f64(double %d)
  %30 = call i32 @nv.subgroup.first.i32(i32 %29)
  %31 = call i32 @nv.high.f64(double %d)
  %32 = call i32 @nv.subgroup.first.i32(i32 %31)
  %e = call double @nv.join.f64(i32 %30, i32 %32)
  %f = call double @nv.subgroup.reduce.fadd.f64(double %e)
  call void @nv.store.i64.i32(i32 1, i32 0, i64 %c)
  call void @nv.store.f64.i32(i32 2, i32 0, double %f)
  ret void
}
