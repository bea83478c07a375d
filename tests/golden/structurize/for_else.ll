; The loop ends with or without its else part: the merge block tests which.
define void @k(i32 %n, i32 %wanted) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %else
body:
  %found = icmp eq i32 %i, %wanted
  br i1 %found, label %end, label %latch
latch:
  %next = add i32 %i, 1
  br label %head
else:
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 %i)
  br label %end
end:
  call void @"nv.store.i32.i32"(i32 1, i32 1, i32 1)
  ret void
}
; ---- after structurize
define void @k(i32 %n, i32 %wanted) {
entry:
  %target = alloca i32
  %i.var = alloca i32
  %i.var.1 = alloca i32
  call void @nv.variable.keep(ptr %i.var)
  store i32 0, ptr %i.var.1
  br label %head.loop
head.loop:
  br label %head ; loop %else.test %head.continue
head:
  %i = load i32, ptr %i.var.1
  store i32 %i, ptr %i.var
  %more = icmp slt i32 %i, %n
  store i32 5, ptr %target
  br i1 %more, label %body, label %else.test
body:
  %found = icmp eq i32 %i, %wanted
  store i32 6, ptr %target
  br i1 %found, label %else.test, label %latch
latch:
  %next = add i32 %i, 1
  store i32 %next, ptr %i.var.1
  br label %head.continue
head.continue:
  br label %head.loop
else.test:
  %0 = load i32, ptr %target
  %1 = icmp eq i32 %0, 5
  br i1 %1, label %else, label %end ; selection %end
else:
  %2 = load i32, ptr %i.var
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %2)
  br label %end
end:
  call void @nv.store.i32.i32(i32 1, i32 1, i32 1)
  ret void
}
