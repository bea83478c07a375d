; A product that something else than sums uses stays, as do those of other types. Of two products one stays for the sum.
declare double @llvm.sqrt.f64(double)
define void @k(double %a, double %b, half %h, ptr %out, ptr %small) {
entry:
  %p = fmul double %a, %b
  %s = fadd double %a, %p
  %t = call double @llvm.sqrt.f64(double %p)
  %st = fadd double %s, %t
  %x = fmul half %h, %h
  %y = fadd half %x, %h
  %aa = fmul double %a, %a
  %bb = fmul double %b, %b
  %size = fadd double %aa, %bb
  %difference = fsub double %aa, %bb
  %all = fadd double %size, %difference
  %more = fadd double %all, %st
  store double %more, ptr %out
  store half %y, ptr %small
  ret void
}
; ---- after contract
define void @k(double %a, double %b, half %h, ptr %out, ptr %small) {
entry:
  %p = fmul double %a, %b
  %s = fadd double %a, %p
  %t = call double @llvm.sqrt.f64(double %p)
  %st = fadd double %s, %t
  %x = fmul half %h, %h
  %y = fadd half %x, %h
  %aa = fmul double %a, %a
  %bb = fmul double %b, %b
  %size = call double @llvm.fma.f64(double %a, double %a, double %bb)
  %0 = fneg double %bb
  %difference = call double @llvm.fma.f64(double %a, double %a, double %0)
  %all = fadd double %size, %difference
  %more = fadd double %all, %st
  store double %more, ptr %out
  store half %y, ptr %small
  ret void
}
