; A loop with two exits: the value that is read after it goes through a variable, the exits meet in the merge block.
define i32 @k(i32 %n, i32 %limit) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %next = add i32 %i, 1
  %stop = icmp eq i32 %next, %limit
  br i1 %stop, label %end, label %head
end:
  %r = phi i32 [ %i, %head ], [ %next, %body ]
  ret i32 %r
}
; ---- after structurize
define i32 @k(i32 %n, i32 %limit) {
entry:
  %i.var = alloca i32
  %r.var = alloca i32
  call void @nv.variable.keep(ptr %r.var)
  store i32 0, ptr %i.var
  br label %head.loop
head.loop:
  br label %head ; loop %end %head.continue
head:
  %i = load i32, ptr %i.var
  %more = icmp slt i32 %i, %n
  store i32 %i, ptr %r.var
  br i1 %more, label %body, label %end
body:
  %next = add i32 %i, 1
  %stop = icmp eq i32 %next, %limit
  store i32 %next, ptr %i.var
  store i32 %next, ptr %r.var
  br i1 %stop, label %end, label %head.continue
head.continue:
  br label %head.loop
end:
  %r = load i32, ptr %r.var
  ret i32 %r
}
