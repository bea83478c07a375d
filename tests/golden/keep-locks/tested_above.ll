; A loop whose condition is tested above it too: the first test becomes that of its first round.
; arrays: 2
define void @k(i32 %p) {
entry:
  %first = call i32 @nv.atomic.exchange.i32.i32(i32 1, i32 %p, i32 1)
  %free = icmp eq i32 %first, 0
  br i1 %free, label %section, label %wait
wait:
  %round = phi i32 [ 0, %entry ], [ %next, %wait ]
  %next = add i32 %round, 1
  %seen = call i32 @nv.atomic.exchange.i32.i32(i32 1, i32 %p, i32 1)
  %taken = icmp eq i32 %seen, 0
  br i1 %taken, label %section, label %wait
section:
  %rounds = phi i32 [ 0, %entry ], [ %next, %wait ]
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %rounds)
  call void @nv.atomic.store.i32.i32(i32 1, i32 %p, i32 0)
  ret void
}
; ---- after keep-locks
define void @k(i32 %p) {
entry:
  %jump = alloca i32
  %.jumped = alloca i32
  %first = call i32 @nv.atomic.exchange.i32.i32(i32 1, i32 %p, i32 1)
  %free = icmp eq i32 %first, 0
  br label %wait.round
wait.round:
  %0 = phi i32 [ undef, %entry ], [ %2, %wait.round.jump0 ]
  %1 = phi i1 [ true, %entry ], [ false, %wait.round.jump0 ]
  store i32 0, ptr %jump
  br i1 %1, label %entry.after, label %wait
entry.after:
  br i1 %free, label %section, label %wait
wait:
  %round = phi i32 [ 0, %entry.after ], [ %0, %wait.round ]
  %next = add i32 %round, 1
  %seen = call i32 @nv.atomic.exchange.i32.i32(i32 1, i32 %p, i32 1)
  %taken = icmp eq i32 %seen, 0
  store i32 %next, ptr %.jumped
  br i1 %taken, label %section, label %wait.round.jump0
section:
  %rounds = phi i32 [ 0, %entry.after ], [ %next, %wait ]
  call void @nv.store.i32.i32(i32 2, i32 %p, i32 %rounds)
  call void @nv.atomic.store.i32.i32(i32 1, i32 %p, i32 0)
  br label %section.jump
section.jump:
  store i32 1, ptr %jump
  br label %wait.round.jump0
wait.round.jump0:
  %2 = load i32, ptr %.jumped
  %3 = load i32, ptr %jump
  %4 = icmp eq i32 %3, 1
  br i1 %4, label %section.after, label %wait.round
section.after:
  ret void
}
