; A variable that leaves a loop becomes an array at an unknown place; one that stays inside does not.
define void @k(i32 %n) {
entry:
  %out = alloca i32
  %i.var = alloca i32
  call void @nv.variable.keep(ptr %out)
  store i32 0, ptr %i.var
  br label %head.loop
head.loop:
  br label %head ; loop %end %head.continue
head:
  %i = load i32, ptr %i.var
  %next = add i32 %i, 1
  store i32 %next, ptr %out
  %more = icmp slt i32 %next, %n
  store i32 %next, ptr %i.var
  br i1 %more, label %head.continue, label %end
head.continue:
  br label %head.loop
end:
  %last = load i32, ptr %out
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %last)
  ret void
}
; ---- after hold-variables
define void @k(i32 %n) {
entry:
  %out = alloca [2 x i32]
  %i.var = alloca i32
  %0 = call i32 @nv.id.global(i32 0)
  %1 = and i32 %0, 1
  store i32 0, ptr %i.var
  br label %head.loop
head.loop:
  br label %head ; loop %end %head.continue
head:
  %i = load i32, ptr %i.var
  %next = add i32 %i, 1
  %2 = getelementptr i32, ptr %out, i32 %1
  store i32 %next, ptr %2
  %more = icmp slt i32 %next, %n
  store i32 %next, ptr %i.var
  br i1 %more, label %head.continue, label %end
head.continue:
  br label %head.loop
end:
  %3 = getelementptr i32, ptr %out, i32 %1
  %last = load i32, ptr %3
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %last)
  ret void
}
