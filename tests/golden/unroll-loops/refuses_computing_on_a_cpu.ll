; Not unrolled: on a CPU, counting costs nothing.
; without: loads_wait
define float @k(i32 %n, float %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ %b, %entry ], [ %sum, %loop ]
  %sum = fadd float %s, %b
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret float %sum
}
; ---- after unroll-loops
define float @k(i32 %n, float %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ %b, %entry ], [ %sum, %loop ]
  %sum = fadd float %s, %b
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret float %sum
}
