; Nothing is carried: the square is not computed on the way round that skips it, and a sum of integers costs no more
; than a register.
define void @k(i32 %limit, i32 %offset, float %a, ptr %out) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %x = phi float [ %a, %entry ], [ %y, %latch ]
  %xx = fmul float %x, %x
  %y = fadd float %xx, %a
  %place = add i32 %n, %offset
  %next = add i32 %n, 1
  %next_place = add i32 %next, %offset
  %far = icmp ugt i32 %next_place, %place
  br i1 %far, label %skipped, label %latch
skipped:
  %yy = fmul float %y, %y
  store float %yy, ptr %out
  br label %latch
latch:
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %loop, label %end
end:
  ret void
}
; ---- after carry-values
define void @k(i32 %limit, i32 %offset, float %a, ptr %out) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %latch ]
  %x = phi float [ %a, %entry ], [ %y, %latch ]
  %xx = fmul float %x, %x
  %y = fadd float %xx, %a
  %place = add i32 %n, %offset
  %next = add i32 %n, 1
  %next_place = add i32 %next, %offset
  %far = icmp ugt i32 %next_place, %place
  br i1 %far, label %skipped, label %latch
skipped:
  %yy = fmul float %y, %y
  store float %yy, ptr %out
  br label %latch
latch:
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %loop, label %end
end:
  ret void
}
