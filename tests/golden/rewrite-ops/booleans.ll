; SPIR-V has no arithmetic and no order of booleans.
define void @k(i1 %x, i1 %y, i32 %z) {
entry:
  %a = icmp ult i1 %x, %y
  %b = icmp slt i1 %x, %y
  %c = icmp eq i1 %x, %y
  %d = add i1 %x, %y
  %e = mul i1 %x, %y
  %f = trunc i32 %z to i1
  ret void
}
; ---- after rewrite-ops
define void @k(i1 %x, i1 %y, i32 %z) {
entry:
  %0 = xor i1 %x, true
  %a = and i1 %0, %y
  %1 = xor i1 %y, true
  %b = and i1 %x, %1
  %2 = xor i1 %x, %y
  %c = xor i1 %2, true
  %d = xor i1 %x, %y
  %e = and i1 %x, %y
  %3 = and i32 %z, 1
  %f = icmp ne i32 %3, 0
  ret void
}
