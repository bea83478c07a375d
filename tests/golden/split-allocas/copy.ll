; Copies move what the kernel uses of the memory, not the bytes that its type names.
define void @k(i64 %x) {
entry:
  %a = alloca [16 x i8]
  %b = alloca [16 x i8]
  call void @llvm.memset.p0.i64(ptr %a, i8 -1, i64 16, i1 false)
  store i64 %x, ptr %a
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)
  %p = getelementptr i8, ptr %b, i64 12
  %v = load i32, ptr %p
  ret void
}
; ---- after split-allocas
define void @k(i64 %x) {
entry:
  %a.0 = alloca i64
  %a.1 = alloca i32
  %b.0 = alloca i64
  %b.1 = alloca i32
  store i64 -1, ptr %a.0
  store i32 -1, ptr %a.1
  store i64 %x, ptr %a.0
  %0 = load i64, ptr %a.0
  %1 = load i32, ptr %a.1
  store i64 %0, ptr %b.0
  store i32 %1, ptr %b.1
  %v = load i32, ptr %b.1
  ret void
}
