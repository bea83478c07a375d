; A variant that does not ask for it.
; arrays: 1
define void @k(i32 %n) {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %j = call i32 @nv.id.global(i32 1)
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %count = call i32 @nv.size.groups(i32 0)
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %b = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %count
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %abc)
  br label %end
end:
  ret void
}
declare i32 @nv.id.global(i32)
declare i32 @nv.size.groups(i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i32.i32(i32, i32, i32)
; ---- after pair-invocations
define void @k(i32 %n) {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %j = call i32 @nv.id.global(i32 1)
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %count = call i32 @nv.size.groups(i32 0)
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %b = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %count
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %abc)
  br label %end
end:
  ret void
}
