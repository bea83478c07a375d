; Half of a word is compared and exchanged with the other half, and tried again if that has changed; a load is none.
define void @k(i32 %i, i32 %expected, i32 %value) {
entry:
  %a = call i32 @nv.atomic.load.i16(i32 1, i32 %i)
  %b = call i32 @nv.atomic.cas.i16(i32 1, i32 %i, i32 %expected, i32 %value)
  call void @nv.atomic.store.i16(i32 1, i32 %b, i32 %a)
  ret void
}
; ---- after lower-atomics
define void @k(i32 %i, i32 %expected, i32 %value) {
entry:
  %0 = lshr i32 %i, 1
  %1 = and i32 %i, 1
  %2 = shl i32 %1, 4
  %3 = call i32 @nv.atomic.load.i32(i32 1, i32 %0)
  %4 = lshr i32 %3, %2
  %5 = and i32 %4, 65535
  %6 = lshr i32 %i, 1
  %7 = and i32 %i, 1
  %8 = shl i32 %7, 4
  %9 = call i32 @nv.atomic.load.i32(i32 1, i32 %6)
  br label %entry.again
entry.again:
  %10 = phi i32 [ %9, %entry ], [ %19, %entry.again.try ]
  %11 = lshr i32 %10, %8
  %12 = and i32 %11, 65535
  %13 = icmp eq i32 %12, %expected
  br i1 %13, label %entry.again.try, label %entry.after
entry.again.try:
  %14 = shl i32 65535, %8
  %15 = xor i32 %14, -1
  %16 = shl i32 %value, %8
  %17 = and i32 %10, %15
  %18 = or i32 %17, %16
  %19 = call i32 @nv.atomic.cas.i32(i32 1, i32 %6, i32 %10, i32 %18)
  %20 = icmp eq i32 %19, %10
  br i1 %20, label %entry.after, label %entry.again
entry.after:
  %21 = lshr i32 %12, 1
  %22 = and i32 %12, 1
  %23 = shl i32 %22, 4
  %24 = call i32 @nv.atomic.load.i32(i32 1, i32 %21)
  br label %entry.after.again
entry.after.again:
  %25 = phi i32 [ %24, %entry.after ], [ %33, %entry.after.again ]
  %26 = lshr i32 %25, %23
  %27 = and i32 %26, 65535
  %28 = shl i32 65535, %23
  %29 = xor i32 %28, -1
  %30 = shl i32 %5, %23
  %31 = and i32 %25, %29
  %32 = or i32 %31, %30
  %33 = call i32 @nv.atomic.cas.i32(i32 1, i32 %21, i32 %25, i32 %32)
  %34 = icmp eq i32 %33, %25
  br i1 %34, label %entry.after.after, label %entry.after.again
entry.after.after:
  ret void
}
