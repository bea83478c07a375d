; Those that return early go along to the barriers, set aside: loads and stores are skipped, the loop's count is not.
define void @k(i32 %n) {
entry:
  %t = call i32 @nv.id.local(i32 0)
  %c = icmp slt i32 %t, %n
  br i1 %c, label %loop, label %early
early:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 7)
  ret void
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %t)
  %sum = add i32 %s, %v
  call void @nv.barrier()
  %next = add i32 %k, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %sum)
  ret void
}
; ---- after uniform-barriers
define void @k(i32 %n) {
entry:
  %aside = alloca i1
  store i1 false, ptr %aside
  %t = call i32 @nv.id.local(i32 0)
  %c = icmp slt i32 %t, %n
  br i1 %c, label %entry.all, label %entry.part
entry.part:
  br label %early
entry.aside:
  store i1 true, ptr %aside
  br label %entry.all
entry.all:
  br label %loop
early:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 7)
  br label %entry.aside
loop:
  %k = phi i32 [ 0, %entry.all ], [ %next, %loop.joined ]
  %s = phi i32 [ 0, %entry.all ], [ %1, %loop.joined ]
  %0 = load i1, ptr %aside
  br i1 %0, label %loop.joined, label %loop.active
loop.active:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %t)
  %sum = add i32 %s, %v
  br label %loop.joined
loop.joined:
  %1 = phi i32 [ 0, %loop ], [ %sum, %loop.active ]
  call void @nv.barrier()
  %next = add i32 %k, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  %2 = load i1, ptr %aside
  br i1 %2, label %done.joined, label %done.active
done.active:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %1)
  br label %done.joined
done.joined:
  br label %end
end:
  store i1 false, ptr %aside
  ret void
}
