; The sign extension of an element is that of its storage type, next to the load.
define void @k(i32 %i) {
entry:
  %a = call i8 @nv.load.i8.i32(i32 1, i32 %i)
  br label %next
next:
  %w = sext i8 %a to i64
  %z = zext i8 %a to i32
  ret void
}
; ---- after promote-ints
define void @k(i32 %i) {
entry:
  %0 = call i8 @nv.load.i8.i32(i32 1, i32 %i)
  %1 = sext i8 %0 to i32
  %a = zext i8 %0 to i32
  br label %next
next:
  %w = sext i32 %1 to i64
  ret void
}
