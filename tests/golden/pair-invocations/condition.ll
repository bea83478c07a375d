; Loads of both come before stores; what does not depend on where an invocation is along x is done once for both.
; arrays: 1
; pairing: even
define void @k(i32 %n) {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %j = call i32 @nv.id.global(i32 1)
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %count = call i32 @nv.size.groups(i32 0)
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %b = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %count
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %abc)
  br label %end
end:
  ret void
}
declare i32 @nv.id.global(i32)
declare i32 @nv.size.groups(i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i32.i32(i32, i32, i32)
; ---- after pair-invocations
define void @k(i32 %n) {
pair:
  %0 = call i32 @nv.id.group(i32 0)
  %1 = call i32 @nv.id.global(i32 0)
  %2 = call i32 @nv.size.local(i32 0)
  %3 = mul i32 %0, %2
  %4 = add i32 %1, %3
  %5 = call i32 @nv.id.group(i32 0)
  %6 = add i32 %5, 1
  %7 = call i32 @nv.id.global(i32 0)
  %8 = call i32 @nv.size.local(i32 0)
  %9 = mul i32 %6, %8
  %10 = add i32 %7, %9
  %j = call i32 @nv.id.global(i32 1)
  %inside = icmp ult i32 %4, %n
  %inside.1 = icmp ult i32 %10, %n
  %11 = and i1 %inside, %inside.1
  br i1 %11, label %together, label %apart
together:
  %12 = call i32 @nv.size.groups(i32 0)
  %13 = mul i32 %12, 2
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %4)
  %a.1 = call i32 @nv.load.i32.i32(i32 1, i32 %10)
  %b = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab = add i32 %a, %b
  %ab.1 = add i32 %a.1, %b
  %abc = add i32 %ab, %13
  %abc.1 = add i32 %ab.1, %13
  call void @nv.store.i32.i32(i32 1, i32 %4, i32 %abc)
  call void @nv.store.i32.i32(i32 1, i32 %10, i32 %abc.1)
  br label %end
apart:
  br i1 %inside, label %only0, label %between
only0:
  %14 = call i32 @nv.size.groups(i32 0)
  %15 = mul i32 %14, 2
  %a.2 = call i32 @nv.load.i32.i32(i32 1, i32 %4)
  %b.1 = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab.2 = add i32 %a.2, %b.1
  %abc.2 = add i32 %ab.2, %15
  call void @nv.store.i32.i32(i32 1, i32 %4, i32 %abc.2)
  br label %between
between:
  br i1 %inside.1, label %only1, label %end
only1:
  %16 = call i32 @nv.size.groups(i32 0)
  %17 = mul i32 %16, 2
  %a.3 = call i32 @nv.load.i32.i32(i32 1, i32 %10)
  %b.2 = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab.3 = add i32 %a.3, %b.2
  %abc.3 = add i32 %ab.3, %17
  call void @nv.store.i32.i32(i32 1, i32 %10, i32 %abc.3)
  br label %end
end:
  ret void
}
