; Without int64 an element and a parameter of 64 bits are two words.
; without: int64
define void @k(i32 %i, i64 %x) {
entry:
  %n = call i64 @nv.param.i64(i32 2)
  %a = call i64 @nv.load.i64.i32(i32 1, i32 %i)
  %b = call i64 @nv.load.i64.i64(i32 1, i64 %x)
  call void @nv.store.i64.i32(i32 2, i32 3, i64 %a)
  call void @nv.store.i64.i32(i32 2, i32 %i, i64 -2)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, i64 %x) {
entry:
  %0 = call i32 @nv.param.i32(i32 2)
  %1 = call i32 @nv.param.i32(i32 3)
  %n = call i64 @nv.join.i64(i32 %0, i32 %1)
  %2 = shl i32 %i, 1
  %3 = call i32 @nv.load.i32.i32(i32 1, i32 %2)
  %4 = add i32 %2, 1
  %5 = call i32 @nv.load.i32.i32(i32 1, i32 %4)
  %a = call i64 @nv.join.i64(i32 %3, i32 %5)
  %6 = trunc i64 %x to i32
  %7 = shl i32 %6, 1
  %8 = call i32 @nv.load.i32.i32(i32 1, i32 %7)
  %9 = add i32 %7, 1
  %10 = call i32 @nv.load.i32.i32(i32 1, i32 %9)
  %b = call i64 @nv.join.i64(i32 %8, i32 %10)
  %11 = call i32 @nv.low.i64(i64 %a)
  %12 = call i32 @nv.high.i64(i64 %a)
  call void @nv.store.i32.i32(i32 2, i32 6, i32 %11)
  call void @nv.store.i32.i32(i32 2, i32 7, i32 %12)
  %13 = shl i32 %i, 1
  %14 = add i32 %13, 1
  call void @nv.store.i32.i32(i32 2, i32 %13, i32 -2)
  call void @nv.store.i32.i32(i32 2, i32 %14, i32 -1)
  ret void
}
