; Without a condition, and with the place of the workgroup.
; arrays: 1
; pairing: odd
define void @k() {
entry:
  %g = call i32 @nv.id.group(i32 0)
  %l = call i32 @nv.id.local(i32 0)
  %start = mul i32 %g, 64
  %i = add i32 %start, %l
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %b = mul i32 %a, 3
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %b)
  ret void
}
declare i32 @nv.id.group(i32)
declare i32 @nv.id.local(i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i32.i32(i32, i32, i32)
; ---- after pair-invocations
define void @k() {
entry:
  %0 = call i32 @nv.id.group(i32 0)
  %1 = add i32 %0, 1
  %2 = call i32 @nv.size.groups(i32 0)
  %3 = icmp ult i32 %1, %2
  br i1 %3, label %pair, label %alone
pair:
  %4 = call i32 @nv.id.group(i32 0)
  %5 = mul i32 %4, 2
  %6 = call i32 @nv.id.group(i32 0)
  %7 = mul i32 %6, 2
  %8 = add i32 %7, 1
  %l = call i32 @nv.id.local(i32 0)
  %start = mul i32 %5, 64
  %start.1 = mul i32 %8, 64
  %i = add i32 %start, %l
  %i.1 = add i32 %start.1, %l
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %a.1 = call i32 @nv.load.i32.i32(i32 1, i32 %i.1)
  %b = mul i32 %a, 3
  %b.1 = mul i32 %a.1, 3
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %b)
  call void @nv.store.i32.i32(i32 1, i32 %i.1, i32 %b.1)
  br label %end
alone:
  %9 = call i32 @nv.id.group(i32 0)
  %10 = mul i32 %9, 2
  %l.1 = call i32 @nv.id.local(i32 0)
  %start.2 = mul i32 %10, 64
  %i.2 = add i32 %start.2, %l.1
  %a.2 = call i32 @nv.load.i32.i32(i32 1, i32 %i.2)
  %b.2 = mul i32 %a.2, 3
  call void @nv.store.i32.i32(i32 1, i32 %i.2, i32 %b.2)
  br label %end
end:
  ret void
}
