; The loop of `while n < limit and x <= 4`, turned round by LLVM: one branch stays where its condition holds, the other
; leaves. Their values at the end are equal, or chosen by the first condition.
define void @k(i32 %limit, float %c, ptr %out) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %more ]
  %x = phi float [ 0.0, %entry ], [ %y, %more ]
  %next = add i32 %n, 1
  %stays = icmp ult i32 %next, %limit
  br i1 %stays, label %more, label %end
more:
  %square = fmul float %x, %x
  %y = fadd float %square, %c
  %leaves = fcmp ugt float %y, 4.0
  br i1 %leaves, label %end, label %loop
end:
  %count = phi i32 [ %next, %loop ], [ %next, %more ]
  %last = phi float [ %x, %loop ], [ %y, %more ]
  %number = uitofp i32 %count to float
  %result = fadd float %number, %last
  store float %result, ptr %out
  ret void
}
; ---- after join-branches
define void @k(i32 %limit, float %c, ptr %out) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ 0.0, %entry ], [ %y, %loop ]
  %next = add i32 %n, 1
  %stays = icmp ult i32 %next, %limit
  %square = fmul float %x, %x
  %y = fadd float %square, %c
  %leaves = fcmp ugt float %y, 4.0
  %0 = select i1 %stays, float %y, float %x
  %1 = xor i1 %stays, true
  %2 = or i1 %1, %leaves
  br i1 %2, label %end, label %loop
end:
  %count = phi i32 [ %next, %loop ]
  %last = phi float [ %0, %loop ]
  %number = uitofp i32 %count to float
  %result = fadd float %number, %last
  store float %result, ptr %out
  ret void
}
