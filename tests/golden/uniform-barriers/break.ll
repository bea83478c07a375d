; Those that leave a loop in front of its barrier stay in it until it ends for all, and take along what they computed.
define void @k(i32 %n, i32 %limit) {
entry:
  %t = call i32 @nv.id.local(i32 0)
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i32 %k, %n
  br i1 %go, label %test, label %done
test:
  %leaves = icmp eq i32 %k, %t
  br i1 %leaves, label %done, label %body
body:
  call void @nv.barrier()
  %next = add i32 %k, 1
  br label %head
done:
  %r = phi i32 [ -1, %head ], [ %k, %test ]
  %both = add i32 %r, %k
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %both)
  ret void
}
; ---- after uniform-barriers
define void @k(i32 %n, i32 %limit) {
entry:
  %aside = alloca i1
  %r.met = alloca i32
  %last = alloca i32
  store i1 false, ptr %aside
  %t = call i32 @nv.id.local(i32 0)
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i32 %k, %n
  %0 = load i1, ptr %aside
  br i1 %0, label %head.joined, label %head.active
head.active:
  store i32 %k, ptr %last
  store i32 -1, ptr %r.met
  br label %head.joined
head.joined:
  br i1 %go, label %test, label %done
test:
  %leaves = icmp eq i32 %k, %t
  %1 = xor i1 %leaves, true
  %2 = load i1, ptr %aside
  %3 = or i1 %1, %2
  br i1 %3, label %test.all, label %test.part
test.part:
  store i32 %k, ptr %r.met
  store i1 true, ptr %aside
  br label %test.all
test.all:
  br label %body
body:
  call void @nv.barrier()
  %next = add i32 %k, 1
  br label %head
done:
  %r = load i32, ptr %r.met
  store i1 false, ptr %aside
  %4 = load i32, ptr %last
  %both = add i32 %r, %4
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 %both)
  br label %end
end:
  ret void
}
