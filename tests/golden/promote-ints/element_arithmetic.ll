; Arithmetic on 8-bit elements is done in 32 bits; only what is next to load and store keeps the element's type.
declare i8 @nv.load.i8.i32(i32, i32)
declare void @nv.store.i8.i32(i32, i32, i8)
define void @k() {
entry:
  %a = call i8 @nv.load.i8.i32(i32 1, i32 0)
  %s = add i8 %a, 100
  %c = icmp ult i8 %s, %a
  br i1 %c, label %overflow, label %end
overflow:
  call void @nv.store.i8.i32(i32 2, i32 0, i8 -1)
  ret void
end:
  call void @nv.store.i8.i32(i32 2, i32 0, i8 %s)
  ret void
}
; ---- after promote-ints
define void @k() {
entry:
  %0 = call i8 @nv.load.i8.i32(i32 1, i32 0)
  %a = zext i8 %0 to i32
  %1 = add i32 %a, 100
  %s = and i32 %1, 255
  %c = icmp ult i32 %s, %a
  br i1 %c, label %overflow, label %end
overflow:
  call void @nv.store.i8.i32(i32 2, i32 0, i8 -1)
  ret void
end:
  %2 = trunc i32 %s to i8
  call void @nv.store.i8.i32(i32 2, i32 0, i8 %2)
  ret void
}
