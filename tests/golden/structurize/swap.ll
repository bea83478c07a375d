; Phis change at the same time: all are loaded before any is stored. A value of the loop outlives its own change.
define void @k(i32 %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 %a)
  call void @"nv.store.i32.i32"(i32 1, i32 1, i32 %b)
  ret void
}
; ---- after structurize
define void @k(i32 %n) {
entry:
  %a.var = alloca i32
  %b.var = alloca i32
  %a.var.1 = alloca i32
  %b.var.1 = alloca i32
  %i.var = alloca i32
  call void @nv.variable.keep(ptr %a.var)
  call void @nv.variable.keep(ptr %b.var)
  store i32 1, ptr %a.var.1
  store i32 2, ptr %b.var.1
  store i32 0, ptr %i.var
  br label %loop.loop
loop.loop:
  br label %loop ; loop %end %loop.continue
loop:
  %a = load i32, ptr %a.var.1
  store i32 %a, ptr %a.var
  %b = load i32, ptr %b.var.1
  store i32 %b, ptr %b.var
  %i = load i32, ptr %i.var
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  store i32 %b, ptr %a.var.1
  store i32 %a, ptr %b.var.1
  store i32 %next, ptr %i.var
  br i1 %more, label %loop.continue, label %end
loop.continue:
  br label %loop.loop
end:
  %0 = load i32, ptr %a.var
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %0)
  %1 = load i32, ptr %b.var
  call void @nv.store.i32.i32(i32 1, i32 1, i32 %1)
  ret void
}
