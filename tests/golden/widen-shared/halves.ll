; A shared array of words in which 64-bit elements change atomically becomes one of these; words are halves of them.
define void @k(i1 %c, i32 %i, i32 %v, i64 %w) {
entry:
  call void @nv.workgroup.i32(i32 65536, i32 9)
  call void @nv.workgroup.i32(i32 65537, i32 9)
  br i1 %c, label %change, label %end
change:
  %a = call i64 @nv.atomic.add.i64(i32 65536, i32 %i, i64 %w)
  %b = call i32 @nv.load.i32.i32(i32 65536, i32 3)
  call void @nv.store.i32.i32(i32 65536, i32 %i, i32 %b)
  call void @nv.word.and(i32 65536, i32 2, i32 255)
  %d = call i32 @nv.atomic.or.i32(i32 65536, i32 1, i32 %v)
  %e = call i32 @nv.atomic.cas.i32(i32 65536, i32 1, i32 %d, i32 %v)
  %f = call i32 @nv.load.i32.i32(i32 65537, i32 %e)
  br label %end
end:
  %r = phi i32 [ %v, %entry ], [ %f, %change ]
  call void @nv.store.i32.i32(i32 65537, i32 %i, i32 %r)
  ret void
}
; ---- after widen-shared
define void @k(i1 %c, i32 %i, i32 %v, i64 %w) {
entry:
  call void @nv.workgroup.i64(i32 65536, i32 5)
  call void @nv.workgroup.i32(i32 65537, i32 9)
  br i1 %c, label %change, label %end
change:
  %a = call i64 @nv.atomic.add.i64(i32 65536, i32 %i, i64 %w)
  %0 = call i64 @nv.load.i64.i32(i32 65536, i32 1)
  %1 = call i32 @nv.low.i64(i64 %0)
  %b = call i32 @nv.high.i64(i64 %0)
  %2 = lshr i32 %i, 1
  %3 = and i32 %i, 1
  %4 = icmp ne i32 %3, 0
  %5 = select i1 %4, i32 -1, i32 0
  %6 = select i1 %4, i32 0, i32 -1
  %7 = call i64 @nv.join.i64(i32 %5, i32 %6)
  %8 = call i64 @nv.atomic.and.i64(i32 65536, i32 %2, i64 %7)
  %9 = select i1 %4, i32 0, i32 %b
  %10 = select i1 %4, i32 %b, i32 0
  %11 = call i64 @nv.join.i64(i32 %9, i32 %10)
  %12 = call i64 @nv.atomic.or.i64(i32 65536, i32 %2, i64 %11)
  %13 = call i64 @nv.join.i64(i32 255, i32 -1)
  %14 = call i64 @nv.atomic.and.i64(i32 65536, i32 1, i64 %13)
  %15 = call i64 @nv.join.i64(i32 0, i32 %v)
  %16 = call i64 @nv.atomic.or.i64(i32 65536, i32 0, i64 %15)
  %17 = call i32 @nv.low.i64(i64 %16)
  %d = call i32 @nv.high.i64(i64 %16)
  %18 = call i64 @nv.atomic.load.i64(i32 65536, i32 0)
  br label %change.again
change.again:
  %19 = phi i64 [ %18, %change ], [ %24, %change.again.try ]
  %20 = call i32 @nv.low.i64(i64 %19)
  %21 = call i32 @nv.high.i64(i64 %19)
  %22 = icmp eq i32 %21, %d
  br i1 %22, label %change.again.try, label %change.after
change.again.try:
  %23 = call i64 @nv.join.i64(i32 %20, i32 %v)
  %24 = call i64 @nv.atomic.cas.i64(i32 65536, i32 0, i64 %19, i64 %23)
  %25 = icmp eq i64 %24, %19
  br i1 %25, label %change.after, label %change.again
change.after:
  %f = call i32 @nv.load.i32.i32(i32 65537, i32 %21)
  br label %end
end:
  %r = phi i32 [ %v, %entry ], [ %f, %change.after ]
  call void @nv.store.i32.i32(i32 65537, i32 %i, i32 %r)
  ret void
}
