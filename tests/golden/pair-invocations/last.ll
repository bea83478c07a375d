; The last workgroup has no second: it does what it did, and the number of workgroups is odd.
; arrays: 1
; pairing: odd
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
entry:
  %0 = call i32 @nv.id.group(i32 0)
  %1 = add i32 %0, 1
  %2 = call i32 @nv.size.groups(i32 0)
  %3 = icmp ult i32 %1, %2
  br i1 %3, label %pair, label %alone
pair:
  %4 = call i32 @nv.id.group(i32 0)
  %5 = call i32 @nv.id.global(i32 0)
  %6 = call i32 @nv.size.local(i32 0)
  %7 = mul i32 %4, %6
  %8 = add i32 %5, %7
  %9 = call i32 @nv.id.group(i32 0)
  %10 = add i32 %9, 1
  %11 = call i32 @nv.id.global(i32 0)
  %12 = call i32 @nv.size.local(i32 0)
  %13 = mul i32 %10, %12
  %14 = add i32 %11, %13
  %j = call i32 @nv.id.global(i32 1)
  %inside = icmp ult i32 %8, %n
  %inside.1 = icmp ult i32 %14, %n
  %15 = and i1 %inside, %inside.1
  br i1 %15, label %together, label %apart
together:
  %16 = call i32 @nv.size.groups(i32 0)
  %17 = mul i32 %16, 2
  %18 = sub i32 %17, 1
  %a = call i32 @nv.load.i32.i32(i32 1, i32 %8)
  %a.1 = call i32 @nv.load.i32.i32(i32 1, i32 %14)
  %b = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab = add i32 %a, %b
  %ab.1 = add i32 %a.1, %b
  %abc = add i32 %ab, %18
  %abc.1 = add i32 %ab.1, %18
  call void @nv.store.i32.i32(i32 1, i32 %8, i32 %abc)
  call void @nv.store.i32.i32(i32 1, i32 %14, i32 %abc.1)
  br label %end
apart:
  br i1 %inside, label %only0, label %between
only0:
  %19 = call i32 @nv.size.groups(i32 0)
  %20 = mul i32 %19, 2
  %21 = sub i32 %20, 1
  %a.2 = call i32 @nv.load.i32.i32(i32 1, i32 %8)
  %b.1 = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab.2 = add i32 %a.2, %b.1
  %abc.2 = add i32 %ab.2, %21
  call void @nv.store.i32.i32(i32 1, i32 %8, i32 %abc.2)
  br label %between
between:
  br i1 %inside.1, label %only1, label %end
only1:
  %22 = call i32 @nv.size.groups(i32 0)
  %23 = mul i32 %22, 2
  %24 = sub i32 %23, 1
  %a.3 = call i32 @nv.load.i32.i32(i32 1, i32 %14)
  %b.2 = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %ab.3 = add i32 %a.3, %b.2
  %abc.3 = add i32 %ab.3, %24
  call void @nv.store.i32.i32(i32 1, i32 %14, i32 %abc.3)
  br label %end
alone:
  %25 = call i32 @nv.id.group(i32 0)
  %26 = call i32 @nv.id.global(i32 0)
  %27 = call i32 @nv.size.local(i32 0)
  %28 = mul i32 %25, %27
  %29 = add i32 %26, %28
  %j.1 = call i32 @nv.id.global(i32 1)
  %inside.2 = icmp ult i32 %29, %n
  br i1 %inside.2, label %body, label %end
body:
  %30 = call i32 @nv.size.groups(i32 0)
  %31 = mul i32 %30, 2
  %32 = sub i32 %31, 1
  %a.4 = call i32 @nv.load.i32.i32(i32 1, i32 %29)
  %b.3 = call i32 @nv.load.i32.i32(i32 1, i32 %j.1)
  %ab.4 = add i32 %a.4, %b.3
  %abc.4 = add i32 %ab.4, %32
  call void @nv.store.i32.i32(i32 1, i32 %29, i32 %abc.4)
  br label %end
end:
  ret void
}
