; Each jump to a block that only returns returns by itself, from inside a loop too; nothing nests deeper for it.
define void @k(i1 %c, i1 %d, i32 %n) {
entry:
  br i1 %c, label %out, label %first
first:
  br i1 %d, label %head, label %out
head:
  %i = phi i32 [ 0, %first ], [ %next, %latch ]
  %found = icmp eq i32 %i, %n
  br i1 %found, label %out, label %latch
latch:
  %next = add i32 %i, 3
  %more = icmp ult i32 %next, 100
  br i1 %more, label %head, label %after
after:
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 %next)
  br label %out
out:
  ret void
}
; ---- after structurize
define void @k(i1 %c, i1 %d, i32 %n) {
entry:
  %next.var = alloca i32
  %i.var = alloca i32
  call void @nv.variable.keep(ptr %next.var)
  br i1 %c, label %entry.exit, label %first ; selection %first
entry.exit:
  ret void
first:
  store i32 0, ptr %i.var
  br i1 %d, label %head.enter, label %first.exit ; selection %first.exit
head.enter:
  br label %head.loop
head.loop:
  br label %head ; loop %after %head.continue
head:
  %i = load i32, ptr %i.var
  %found = icmp eq i32 %i, %n
  br i1 %found, label %head.exit, label %latch ; selection %latch
head.exit:
  ret void
latch:
  %next = add i32 %i, 3
  store i32 %next, ptr %next.var
  %more = icmp ult i32 %next, 100
  store i32 %next, ptr %i.var
  br i1 %more, label %head.continue, label %after
head.continue:
  br label %head.loop
after:
  %0 = load i32, ptr %next.var
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %0)
  ret void
first.exit:
  ret void
}
