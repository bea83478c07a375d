; Each jump out of the loop marks it in front of the jump; what follows the loop tests the mark; the end of the kernel reports.
define void @k(i32 %n) {
entry:
  %i.var = alloca i32
  store i32 0, ptr %i.var
  br label %head.loop
head.loop:
  br label %head ; loop %end %head.continue
head:
  %i = load i32, ptr %i.var
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %next = add i32 %i, 1
  store i32 %next, ptr %i.var
  switch i32 %next, label %head.continue [
    i32 7, label %end
    i32 9, label %head.continue
  ] ; selection %head.continue
head.continue:
  br label %head.loop
end:
  ret void
}
; ---- after guard-loops
define void @k(i32 %n) {
entry:
  %left = alloca i32
  %ended = alloca i32
  store i32 0, ptr %ended
  %0 = call i32 @nv.id.global(i32 0)
  %1 = and i32 %0, 1
  %i.var = alloca i32
  store i32 0, ptr %i.var
  br label %head.loop
head.loop:
  store i32 0, ptr %left
  br label %head ; loop %end %head.continue
head:
  %i = load i32, ptr %i.var
  %more = icmp slt i32 %i, %n
  %2 = xor i1 %more, true
  %3 = zext i1 %2 to i32
  %4 = shl i32 %3, %1
  store i32 %4, ptr %left
  br i1 %more, label %body, label %end
body:
  %next = add i32 %i, 1
  store i32 %next, ptr %i.var
  %5 = icmp eq i32 %next, 7
  %6 = zext i1 %5 to i32
  %7 = shl i32 %6, %1
  store i32 %7, ptr %left
  switch i32 %next, label %head.continue [ i32 7, label %end i32 9, label %head.continue ] ; selection %head.continue
head.continue:
  br label %head.loop
end:
  %8 = load i32, ptr %left
  %9 = icmp eq i32 %8, 0
  %10 = zext i1 %9 to i32
  %11 = load i32, ptr %ended
  %12 = or i32 %11, %10
  store i32 %12, ptr %ended
  %13 = load i32, ptr %ended
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %end.report, label %end.return ; selection %end.return
end.report:
  %15 = call i1 @nv.status.claim(i32 2147418113)
  br label %end.return
end.return:
  ret void
}
