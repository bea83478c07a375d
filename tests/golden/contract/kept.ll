; What rounding takes from a product is lost if one of its uses has the exact product. Other types stay.
define void @k(double %a, double %b, half %h, ptr %out, ptr %small) {
entry:
  %p = fmul double %a, %b
  %s = fadd double %a, %p
  %t = fsub double %s, %a
  %lost = fsub double %t, %p
  %x = fmul half %h, %h
  %y = fadd half %x, %h
  store double %lost, ptr %out
  store half %y, ptr %small
  ret void
}
; ---- after contract
define void @k(double %a, double %b, half %h, ptr %out, ptr %small) {
entry:
  %p = fmul double %a, %b
  %s = fadd double %a, %p
  %t = fsub double %s, %a
  %lost = fsub double %t, %p
  %x = fmul half %h, %h
  %y = fadd half %x, %h
  store double %lost, ptr %out
  store half %y, ptr %small
  ret void
}
