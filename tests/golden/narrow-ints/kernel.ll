; All that is not the bits of a float64 becomes 32 bits: the smallest integer too, a parameter, elements, variables, and
; an integer that LLVM extends from its lower bits by shifts.
; narrow: ints
define void @k() {
entry:
  %v = alloca [4 x i64]
  %n = call i64 @nv.param.i64(i32 0)
  %x = call i64 @nv.load.i64.i32(i32 1, i32 0)
  %is.smallest = icmp eq i64 %x, -9223372036854775808
  %p = getelementptr i64, ptr %v, i64 %n
  store i64 7, ptr %p
  %y = load i64, ptr %p
  %sign = lshr i64 %x, 63
  %left = shl i64 %x, 48
  %extended = ashr i64 %left, 48
  %shifted = shl i64 %extended, %y
  %m = call i64 @llvm.smin.i64(i64 %shifted, i64 %sign)
  %masked = and i64 %m, 17179869180
  %chosen = select i1 %is.smallest, i64 %masked, i64 -5
  call void @nv.store.i64.i32(i32 1, i32 1, i64 %chosen)
  %f = call double @nv.load.f64.i32(i32 2, i32 0)
  %bits = call i64 @nv.bits.f64(double %f)
  %other = xor i64 %bits, 9223372036854775807
  %g = call double @nv.frombits.f64(i64 %other)
  call void @nv.store.f64.i32(i32 2, i32 0, double %g)
  ret void
}
; ---- after narrow-ints
define void @k() {
entry:
  %v = alloca [4 x i32]
  %n = call i32 @nv.param.i32(i32 0)
  %x = call i32 @nv.load.i64_as_i32.i32(i32 1, i32 0)
  %is.smallest = icmp eq i32 %x, -2147483648
  %p = getelementptr i32, ptr %v, i32 %n
  store i32 7, ptr %p
  %y = load i32, ptr %p
  %0 = lshr i32 %x, 31
  %1 = shl i32 %x, 16
  %2 = ashr i32 %1, 16
  %3 = and i32 %y, 31
  %4 = icmp ult i32 %y, 32
  %5 = shl i32 %2, %3
  %6 = select i1 %4, i32 %5, i32 0
  %m = call i32 @llvm.smin.i32(i32 %6, i32 %0)
  %masked = and i32 %m, -4
  %chosen = select i1 %is.smallest, i32 %masked, i32 -5
  call void @nv.store.i64_as_i32.i32(i32 1, i32 1, i32 %chosen)
  %f = call double @nv.load.f64.i32(i32 2, i32 0)
  %bits = call i64 @nv.bits.f64(double %f)
  %other = xor i64 %bits, 9223372036854775807
  %g = call double @nv.frombits.f64(i64 %other)
  call void @nv.store.f64.i32(i32 2, i32 0, double %g)
  ret void
}
