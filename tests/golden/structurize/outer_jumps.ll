; From the inner loop control goes on after it, on with the outer loop, or out of both.
define void @k(i32 %n, i32 %a, i32 %b) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i32 [ %i, %outer ], [ %j.next, %inner.latch ]
  %more = icmp slt i32 %j, %n
  br i1 %more, label %first, label %after
first:
  %is.a = icmp eq i32 %j, %a
  br i1 %is.a, label %outer.latch, label %second
second:
  %is.b = icmp eq i32 %j, %b
  br i1 %is.b, label %end, label %inner.latch
inner.latch:
  %j.next = add i32 %j, 1
  br label %inner
after:
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 %i)
  br label %outer.latch
outer.latch:
  %i.next = add i32 %i, 1
  br label %outer
end:
  call void @"nv.store.i32.i32"(i32 1, i32 1, i32 %j)
  ret void
}
; ---- after structurize
define void @k(i32 %n, i32 %a, i32 %b) {
entry:
  %target = alloca i32
  %j.var = alloca i32
  %i.var = alloca i32
  %j.var.1 = alloca i32
  call void @nv.variable.keep(ptr %j.var)
  store i32 0, ptr %i.var
  br label %outer.loop
outer.loop:
  br label %outer ; loop %end %outer.continue
outer:
  %i = load i32, ptr %i.var
  store i32 %i, ptr %j.var.1
  br label %inner.loop
inner.loop:
  br label %inner ; loop %inner.merge %inner.continue
inner:
  %j = load i32, ptr %j.var.1
  store i32 %j, ptr %j.var
  %more = icmp slt i32 %j, %n
  store i32 7, ptr %target
  br i1 %more, label %first, label %inner.merge
first:
  %is.a = icmp eq i32 %j, %a
  store i32 8, ptr %target
  br i1 %is.a, label %inner.merge, label %second
second:
  %is.b = icmp eq i32 %j, %b
  store i32 10, ptr %target
  br i1 %is.b, label %inner.merge, label %inner.latch
inner.latch:
  %j.next = add i32 %j, 1
  store i32 %j.next, ptr %j.var.1
  br label %inner.continue
inner.continue:
  br label %inner.loop
inner.merge:
  %0 = load i32, ptr %target
  %1 = icmp ugt i32 %0, 9
  br i1 %1, label %end, label %after.test
after.test:
  %2 = load i32, ptr %target
  %3 = icmp eq i32 %2, 7
  br i1 %3, label %after, label %outer.latch ; selection %outer.latch
after:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %i)
  br label %outer.latch
outer.latch:
  %i.next = add i32 %i, 1
  store i32 %i.next, ptr %i.var
  br label %outer.continue
outer.continue:
  br label %outer.loop
end:
  %4 = load i32, ptr %j.var
  call void @nv.store.i32.i32(i32 1, i32 1, i32 %4)
  ret void
}
