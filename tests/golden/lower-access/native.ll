; Where the device holds the element type nothing changes.
define void @k(i32 %i, i64 %j) {
entry:
  %a = call i64 @nv.load.i64.i32(i32 1, i32 %i)
  %b = call i8 @nv.load.i8.i64(i32 2, i64 %j)
  call void @nv.store.f64.i32(i32 3, i32 %i, double 1.0)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, i64 %j) {
entry:
  %a = call i64 @nv.load.i64.i32(i32 1, i32 %i)
  %b = call i8 @nv.load.i8.i64(i32 2, i64 %j)
  call void @nv.store.f64.i32(i32 3, i32 %i, double 1.0)
  ret void
}
