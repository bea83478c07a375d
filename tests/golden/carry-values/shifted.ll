; Values that go from one phi to the next: what the round before has computed it may itself have from the one before it.
define void @k(i32 %limit, float %a, float %b, ptr %out) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %a, %entry ], [ %y, %loop ]
  %y = phi float [ %b, %entry ], [ %z, %loop ]
  %xx = fmul float %x, %x
  %yy = fmul float %y, %y
  %z = fadd float %xx, %yy
  %zz = fmul float %z, %z
  %half = fmul float %zz, 0.5
  store float %half, ptr %out
  %next = add i32 %n, 1
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %loop, label %end
end:
  ret void
}
; ---- after carry-values
define void @k(i32 %limit, float %a, float %b, ptr %out) {
entry:
  %xx = fmul float %a, %a
  %yy = fmul float %b, %b
  br label %loop
loop:
  %0 = phi float [ %xx, %entry ], [ %1, %loop ]
  %1 = phi float [ %yy, %entry ], [ %zz, %loop ]
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %a, %entry ], [ %y, %loop ]
  %y = phi float [ %b, %entry ], [ %z, %loop ]
  %z = fadd float %0, %1
  %zz = fmul float %z, %z
  %half = fmul float %zz, 0.5
  store float %half, ptr %out
  %next = add i32 %n, 1
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %loop, label %end
end:
  ret void
}
