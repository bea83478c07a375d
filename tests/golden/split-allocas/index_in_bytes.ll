; LLVM counts bytes with an index that it has multiplied: elements lie as far apart as the multiples say.
define void @k(i64 %i, i64 %j) {
entry:
  %a = alloca [12 x i64]
  store i64 7, ptr %a
  %n = mul i64 %i, -96
  %p = getelementptr i8, ptr %a, i64 %n
  %q = getelementptr i64, ptr %p, i64 %j
  %v = load i64, ptr %q
  ret void
}
; ---- after split-allocas
define void @k(i64 %i, i64 %j) {
entry:
  %a = alloca [12 x i64]
  %0 = getelementptr i64, ptr %a, i32 0
  store i64 7, ptr %0
  %n = mul i64 %i, -96
  %1 = trunc i64 %i to i32
  %2 = mul i32 %1, -12
  %3 = trunc i64 %j to i32
  %4 = add i32 %2, %3
  %5 = getelementptr i64, ptr %a, i32 %4
  %v = load i64, ptr %5
  ret void
}
