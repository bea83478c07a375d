; `if a and b` has one target to skip to; with an else part, that and the end of the whole are two, so one test.
define void @k(i1 %a, i1 %b) {
entry:
  br i1 %a, label %and, label %end
and:
  br i1 %b, label %then, label %end
then:
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 1)
  br label %end
end:
  br i1 %a, label %and2, label %else
and2:
  br i1 %b, label %then2, label %else
then2:
  call void @"nv.store.i32.i32"(i32 1, i32 1, i32 1)
  br label %end2
else:
  call void @"nv.store.i32.i32"(i32 1, i32 2, i32 1)
  br label %end2
end2:
  call void @"nv.store.i32.i32"(i32 1, i32 3, i32 1)
  ret void
}
; ---- after structurize
define void @k(i1 %a, i1 %b) {
entry:
  %target = alloca i32
  br i1 %a, label %and, label %end ; selection %end
and:
  br i1 %b, label %then, label %and.merge ; selection %and.merge
then:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 1)
  br label %and.merge
and.merge:
  br label %end
end:
  store i32 6, ptr %target
  br i1 %a, label %and2, label %else.test ; selection %else.test
and2:
  store i32 6, ptr %target
  br i1 %b, label %then2, label %and2.merge ; selection %and2.merge
then2:
  call void @nv.store.i32.i32(i32 1, i32 1, i32 1)
  store i32 7, ptr %target
  br label %and2.merge
and2.merge:
  br label %else.test
else.test:
  %0 = load i32, ptr %target
  %1 = icmp eq i32 %0, 6
  br i1 %1, label %else, label %end2 ; selection %end2
else:
  call void @nv.store.i32.i32(i32 1, i32 2, i32 1)
  br label %end2
end2:
  call void @nv.store.i32.i32(i32 1, i32 3, i32 1)
  ret void
}
