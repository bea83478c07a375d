; A switch by what differs becomes a chain of branches, each of which is handled; both copies of what they share stay.
define void @k() {
entry:
  %t = call i32 @nv.id.local(i32 0)
  switch i32 %t, label %rest [
    i32 0, label %early
    i32 1, label %early
  ]
early:
  %r = phi i32 [ 5, %entry ], [ 5, %entry ]
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %r)
  br label %end
rest:
  call void @nv.barrier()
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 9)
  br label %end
end:
  ret void
}
; ---- after uniform-barriers
define void @k() {
entry:
  %aside = alloca i1
  %aside.1 = alloca i1
  store i1 false, ptr %aside
  store i1 false, ptr %aside.1
  %t = call i32 @nv.id.local(i32 0)
  %0 = icmp eq i32 %t, 0
  %1 = xor i1 %0, true
  br i1 %1, label %entry.all, label %entry.part
entry.part:
  br label %early.copy
entry.aside:
  store i1 true, ptr %aside.1
  br label %entry.all
entry.all:
  br label %entry.case1
entry.case1:
  %2 = icmp eq i32 %t, 1
  %3 = load i1, ptr %aside.1
  %4 = xor i1 %3, true
  %5 = and i1 %2, %4
  %6 = xor i1 %5, true
  br i1 %6, label %entry.case1.all, label %entry.case1.part
entry.case1.part:
  br label %early
entry.case1.aside:
  store i1 true, ptr %aside
  br label %entry.case1.all
entry.case1.all:
  br label %rest
early:
  %r = phi i32 [ 5, %entry.case1.part ]
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %r)
  br label %entry.case1.aside
rest:
  call void @nv.barrier()
  %7 = load i1, ptr %aside
  br i1 %7, label %rest.joined, label %rest.active
rest.active:
  %8 = load i1, ptr %aside.1
  br label %rest.joined
rest.joined:
  %9 = phi i1 [ false, %rest ], [ %8, %rest.active ]
  %10 = load i1, ptr %aside
  br i1 %10, label %rest.joined.1, label %rest.parting
rest.parting:
  br i1 %9, label %rest.joined.1, label %rest.active.1
rest.active.1:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 9)
  br label %rest.joined.1
rest.joined.1:
  br label %end
end:
  store i1 false, ptr %aside
  store i1 false, ptr %aside.1
  ret void
early.copy:
  %r.1 = phi i32 [ 5, %entry.part ]
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %r.1)
  br label %entry.aside
}
