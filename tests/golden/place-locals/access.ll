; Accesses to local arrays are loads and stores of variables; others stay.
declare void @nv.localvariable.f32(i32, i32)
declare float @nv.load.f32.i64(i32, i64)
declare void @nv.store.f32.i32(i32, i32, float)
define void @k(i64 %n) {
entry:
  call void @nv.localvariable.f32(i32 1048576, i32 4)
  %x = call float @nv.load.f32.i64(i32 1048576, i64 %n)
  call void @nv.store.f32.i32(i32 1048576, i32 2, float %x)
  call void @nv.store.f32.i32(i32 1, i32 2, float %x)
  ret void
}
; ---- after place-locals
define void @k(i64 %n) {
entry:
  %local = alloca [4 x float]
  %0 = trunc i64 %n to i32
  %1 = getelementptr float, ptr %local, i32 %0
  %x = load float, ptr %1
  %2 = getelementptr float, ptr %local, i32 2
  store float %x, ptr %2
  call void @nv.store.f32.i32(i32 1, i32 2, float %x)
  ret void
}
