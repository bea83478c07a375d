; A switch stays one. Cases that leave the loop, go on with it or share a block jump from blocks of their own.
define void @k(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %load = call i32 @"nv.load.i32.i32"(i32 1, i32 %i)
  switch i32 %load, label %other [
    i32 0, label %zero
    i32 1, label %shared
    i32 2, label %latch
    i32 3, label %end
    i32 4, label %shared
  ]
zero:
  call void @"nv.store.i32.i32"(i32 1, i32 %i, i32 7)
  br label %shared
other:
  call void @"nv.store.i32.i32"(i32 1, i32 %i, i32 9)
  br label %latch
shared:
  call void @"nv.store.i32.i32"(i32 2, i32 %i, i32 8)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %end
end:
  call void @"nv.store.i32.i32"(i32 2, i32 0, i32 %i)
  ret void
}
; ---- after structurize
define void @k(i32 %n) {
entry:
  %target = alloca i32
  %i.var = alloca i32
  %i.var.1 = alloca i32
  call void @nv.variable.keep(ptr %i.var)
  store i32 0, ptr %i.var.1
  br label %head.loop
head.loop:
  br label %head ; loop %end %head.continue
head:
  %i = load i32, ptr %i.var.1
  store i32 %i, ptr %i.var
  %load = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  switch i32 %load, label %other [ i32 0, label %zero i32 1, label %head.go i32 2, label %head.go1 i32 3, label %head.go2 i32 4, label %head.go ] ; selection %shared.test
other:
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 9)
  store i32 5, ptr %target
  br label %shared.test
zero:
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 7)
  store i32 4, ptr %target
  br label %shared.test
head.go:
  store i32 4, ptr %target
  br label %shared.test
head.go1:
  store i32 5, ptr %target
  br label %shared.test
head.go2:
  br label %end
shared.test:
  %0 = load i32, ptr %target
  %1 = icmp eq i32 %0, 4
  br i1 %1, label %shared, label %latch ; selection %latch
shared:
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 8)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  store i32 %next, ptr %i.var.1
  br i1 %more, label %head.continue, label %end
head.continue:
  br label %head.loop
end:
  %2 = load i32, ptr %i.var
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %2)
  ret void
}
