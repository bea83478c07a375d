; SPIR-V switches on integers only.
define void @k(i1 %x) {
entry:
  switch i1 %x, label %never [
    i1 false, label %no
    i1 true, label %yes
  ]
no:
  br label %end
yes:
  br label %end
end:
  ret void
never:
  unreachable
}
; ---- after rewrite-ops
define void @k(i1 %x) {
entry:
  %0 = zext i1 %x to i32
  switch i32 %0, label %never [ i32 0, label %no i32 1, label %yes ]
no:
  br label %end
yes:
  br label %end
end:
  ret void
never:
  unreachable
}
