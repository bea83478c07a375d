; The exchange gives back what the loop waits for: it and what is in front of it go into the loop, the rest stays.
; arrays: 2
define void @k(i32 %p) {
entry:
  br label %wait
wait:
  %seen = call i32 @nv.atomic.cas.i32.i32(i32 1, i32 %p, i32 0, i32 1)
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  %v = call i32 @nv.load.i32.i32(i32 2, i32 %p)
  %w = add i32 %v, 1
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %w)
  %old = call i32 @nv.atomic.exchange.i32.i32(i32 1, i32 %p, i32 0)
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %w)
  ret void
}
; ---- after keep-locks
define void @k(i32 %p) {
entry:
  %jump = alloca i32
  %last = alloca i32
  br label %wait
wait:
  %seen = call i32 @nv.atomic.cas.i32.i32(i32 1, i32 %p, i32 0, i32 1)
  %taken = icmp eq i32 %seen, 0
  store i32 0, ptr %jump
  br i1 %taken, label %section, label %wait.jump0
section:
  %v = call i32 @nv.load.i32.i32(i32 2, i32 %p)
  %w = add i32 %v, 1
  store i32 %w, ptr %last
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %w)
  %old = call i32 @nv.atomic.exchange.i32.i32(i32 1, i32 %p, i32 0)
  br label %section.jump
section.jump:
  store i32 1, ptr %jump
  br label %wait.jump0
wait.jump0:
  %0 = load i32, ptr %jump
  %1 = icmp eq i32 %0, 1
  br i1 %1, label %section.after, label %wait
section.after:
  %2 = load i32, ptr %last
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %2)
  ret void
}
