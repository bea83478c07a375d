; Drivers compute signed remainders of negative operands wrongly: they are made of the quotient.
define i32 @k(i32 %a, i32 %b) {
entry:
  %r = srem i32 %a, %b ; at kernel.py:3
  ret i32 %r
}
; ---- after rewrite-ops
define i32 @k(i32 %a, i32 %b) {
entry:
  %0 = sdiv i32 %a, %b ; at kernel.py:3
  %1 = mul i32 %0, %b ; at kernel.py:3
  %r = sub i32 %a, %1 ; at kernel.py:3
  ret i32 %r
}
