; A `continue`: one way round has computed what the next needs from what it hands on, and so has the other. Of what
; follows from what is carried only the last is.
define void @k(i32 %limit, float %a, float %b, ptr %out) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %left ], [ %next, %right ]
  %x = phi float [ %a, %entry ], [ %a, %left ], [ %y, %right ]
  %ax = fmul float %x, %b
  %axb = fadd float %ax, %a
  %next = add i32 %n, 1
  store float %axb, ptr %out
  %c = fcmp olt float %axb, %a
  br i1 %c, label %left, label %right
left:
  %ab = fmul float %a, %b
  %aba = fadd float %ab, %a
  store float %aba, ptr %out
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %loop, label %end
right:
  %y = fadd float %axb, 2.0
  %by = fmul float %y, %b
  %byb = fadd float %by, %a
  store float %byb, ptr %out
  %stays2 = icmp ult i32 %next, %limit
  br i1 %stays2, label %loop, label %end
end:
  ret void
}
; ---- after carry-values
define void @k(i32 %limit, float %a, float %b, ptr %out) {
entry:
  %ax = fmul float %a, %b
  %axb = fadd float %ax, %a
  br label %loop
loop:
  %0 = phi float [ %axb, %entry ], [ %aba, %left ], [ %byb, %right ]
  %n = phi i32 [ 0, %entry ], [ %next, %left ], [ %next, %right ]
  %x = phi float [ %a, %entry ], [ %a, %left ], [ %y, %right ]
  %next = add i32 %n, 1
  store float %0, ptr %out
  %c = fcmp olt float %0, %a
  br i1 %c, label %left, label %right
left:
  %ab = fmul float %a, %b
  %aba = fadd float %ab, %a
  store float %aba, ptr %out
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %loop, label %end
right:
  %y = fadd float %0, 2.0
  %by = fmul float %y, %b
  %byb = fadd float %by, %a
  store float %byb, ptr %out
  %stays2 = icmp ult i32 %next, %limit
  br i1 %stays2, label %loop, label %end
end:
  ret void
}
