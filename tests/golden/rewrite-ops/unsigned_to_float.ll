; SwiftShader rounds twice when it converts unsigned numbers from 2**31 on; LLVM says where there are none.
define void @k(i32 %x) {
entry:
  %a = uitofp i32 %x to float
  %b = uitofp i32 %x to double
  %c = uitofp nneg i32 %x to float
  ret void
}
; ---- after rewrite-ops
define void @k(i32 %x) {
entry:
  %0 = icmp slt i32 %x, 0
  %1 = lshr i32 %x, 1
  %2 = and i32 %x, 1
  %3 = or i32 %1, %2
  %4 = select i1 %0, i32 %3, i32 %x
  %5 = sitofp i32 %4 to float
  %6 = fadd float %5, %5
  %a = select i1 %0, float %6, float %5
  %b = uitofp i32 %x to double
  %c = sitofp i32 %x to float
  ret void
}
