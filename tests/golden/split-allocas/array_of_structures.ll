; An index with a stride makes one array of each member; offsets within an element choose among them.
define void @k(i64 %i, i32 %j) {
entry:
  %a = alloca [8 x { i32, float }]
  %p = getelementptr [8 x { i32, float }], ptr %a, i64 0, i64 %i, i32 1
  store float 1.0, ptr %p
  %q = getelementptr i8, ptr %a, i64 16
  %r = getelementptr { i32, float }, ptr %q, i32 %j
  %v = load i32, ptr %r
  ret void
}
; ---- after split-allocas
define void @k(i64 %i, i32 %j) {
entry:
  %a.0 = alloca [8 x i32]
  %a.1 = alloca [8 x float]
  %0 = trunc i64 %i to i32
  %1 = getelementptr float, ptr %a.1, i32 %0
  store float 1.0, ptr %1
  %2 = add i32 %j, 2
  %3 = getelementptr i32, ptr %a.0, i32 %2
  %v = load i32, ptr %3
  ret void
}
