; The structure that an overflow intrinsic returns is built, for the next pass to take apart.
define void @k(i32 %x, i32 %y) {
entry:
  %p = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 %y)
  %sum = extractvalue { i32, i1 } %p, 0
  %q = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %x, i32 %sum)
  ret void
}
; ---- after expand-intrinsics
define void @k(i32 %x, i32 %y) {
entry:
  %0 = add i32 %x, %y
  %1 = xor i32 %x, %0
  %2 = xor i32 %y, %0
  %3 = and i32 %1, %2
  %4 = icmp slt i32 %3, 0
  %5 = insertvalue { i32, i1 } undef, i32 %0, 0
  %p = insertvalue { i32, i1 } %5, i1 %4, 1
  %sum = extractvalue { i32, i1 } %p, 0
  %6 = mul i32 %x, %sum
  %7 = call i32 @nv.mulhi.u32(i32 %x, i32 %sum)
  %8 = icmp ne i32 %7, 0
  %9 = insertvalue { i32, i1 } undef, i32 %6, 0
  %q = insertvalue { i32, i1 } %9, i1 %8, 1
  ret void
}
