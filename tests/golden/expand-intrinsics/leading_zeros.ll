; SPIR-V finds the highest bit of 32 bits only; other widths are put together from words.
define void @k(i8 %x, i32 %y, i64 %z) {
entry:
  %b = call i8 @llvm.ctlz.i8(i8 %x, i1 false)
  %w = call i32 @llvm.ctlz.i32(i32 %y, i1 true)
  %l = call i64 @llvm.ctlz.i64(i64 %z, i1 false)
  ret void
}
; ---- after expand-intrinsics
define void @k(i8 %x, i32 %y, i64 %z) {
entry:
  %0 = zext i8 %x to i32
  %1 = call i32 @llvm.ctlz.i32(i32 %0, i1 false)
  %2 = sub i32 %1, 24
  %b = trunc i32 %2 to i8
  %w = call i32 @llvm.ctlz.i32(i32 %y, i1 true)
  %3 = call i32 @nv.low.i64(i64 %z)
  %4 = call i32 @nv.high.i64(i64 %z)
  %5 = call i32 @llvm.ctlz.i32(i32 %3, i1 false)
  %6 = add i32 %5, 32
  %7 = icmp eq i32 %4, 0
  %8 = call i32 @llvm.ctlz.i32(i32 %4, i1 false)
  %9 = select i1 %7, i32 %6, i32 %8
  %l = zext i32 %9 to i64
  ret void
}
