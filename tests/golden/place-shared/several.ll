; A place in the source is one array, however often it was inlined; a function may be reached on several ways.
define void @k(i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  %a = call i32 @nv.shared.f32(i64 77, i64 64)
  call void @nv.store.f32.i32(i32 %a, i32 0, float 1.0)
  br label %two
two:
  %b = call i32 @nv.shared.f32(i64 77, i64 64)
  %d = call i32 @nv.shared.i8(i64 -5, i64 3)
  %v = call float @nv.load.f32.i32(i32 %b, i32 1)
  call void @nv.store.f32.i32(i32 1, i32 %d, float %v)
  ret void
}
; ---- after place-shared
define void @k(i1 %c) {
entry:
  call void @nv.workgroup.f32(i32 65536, i32 64)
  call void @nv.workgroup.i8(i32 65537, i32 3)
  br i1 %c, label %one, label %two
one:
  call void @nv.store.f32.i32(i32 65536, i32 0, float 1.0)
  br label %two
two:
  %v = call float @nv.load.f32.i32(i32 65536, i32 1)
  call void @nv.store.f32.i32(i32 1, i32 65537, float %v)
  ret void
}
