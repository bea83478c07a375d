; A loop of compare and exchange that waits for nobody: what follows changes another array.
; arrays: 2
define void @k(i32 %p) {
entry:
  %start = call i32 @nv.load.i32.i32(i32 1, i32 %p)
  br label %again
again:
  %known = phi i32 [ %start, %entry ], [ %seen, %again ]
  %new = mul i32 %known, 3
  %seen = call i32 @nv.atomic.cas.i32.i32(i32 1, i32 %p, i32 %known, i32 %new)
  %done = icmp eq i32 %seen, %known
  br i1 %done, label %end, label %again
end:
  %old = call i32 @nv.atomic.add.i32.i32(i32 2, i32 0, i32 1)
  ret void
}
; ---- after keep-locks
define void @k(i32 %p) {
entry:
  %start = call i32 @nv.load.i32.i32(i32 1, i32 %p)
  br label %again
again:
  %known = phi i32 [ %start, %entry ], [ %seen, %again ]
  %new = mul i32 %known, 3
  %seen = call i32 @nv.atomic.cas.i32.i32(i32 1, i32 %p, i32 %known, i32 %new)
  %done = icmp eq i32 %seen, %known
  br i1 %done, label %end, label %again
end:
  %old = call i32 @nv.atomic.add.i32.i32(i32 2, i32 0, i32 1)
  ret void
}
