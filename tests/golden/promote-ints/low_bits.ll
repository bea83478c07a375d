; Nothing is cut off as long as only low bits are looked at.
define void @k(i32 %i) {
entry:
  %a = call i16 @nv.load.i16.i32(i32 1, i32 %i)
  %b = call i16 @nv.load.i16.i32(i32 2, i32 %i)
  %s = add i16 %a, %b
  %t = mul i16 %s, 3
  call void @nv.store.i16.i32(i32 1, i32 %i, i16 %t)
  ret void
}
; ---- after promote-ints
define void @k(i32 %i) {
entry:
  %0 = call i16 @nv.load.i16.i32(i32 1, i32 %i)
  %a = zext i16 %0 to i32
  %1 = call i16 @nv.load.i16.i32(i32 2, i32 %i)
  %b = zext i16 %1 to i32
  %s = add i32 %a, %b
  %t = mul i32 %s, 3
  %2 = trunc i32 %t to i16
  call void @nv.store.i16.i32(i32 1, i32 %i, i16 %2)
  ret void
}
