; Each call is an array of its own, whatever it is used for.
declare i32 @nv.local.f32(i64)
declare float @nv.load.f32.i32(i32, i32)
define void @k(i1 %c, i32 %n) {
entry:
  %a = call i32 @nv.local.f32(i64 4)
  %b = call i32 @nv.local.f32(i64 0)
  %one = select i1 %c, i32 %a, i32 %b
  %x = call float @nv.load.f32.i32(i32 %one, i32 %n)
  ret void
}
; ---- after number-locals
define void @k(i1 %c, i32 %n) {
entry:
  call void @nv.localvariable.f32(i32 1048576, i32 4)
  call void @nv.localvariable.f32(i32 1048577, i32 1)
  %one = select i1 %c, i32 1048576, i32 1048577
  %x = call float @nv.load.f32.i32(i32 %one, i32 %n)
  ret void
}
