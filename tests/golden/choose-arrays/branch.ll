; An access for each array that it can mean; what is undefined is none of them.
declare float @nv.load.f32.i32(i32, i32)
declare void @nv.store.f32.i32(i32, i32, float)
define void @k(i1 %c, i1 %d, i32 %n) {
entry:
  %only = select i1 %c, i32 0, i32 4
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %b = phi i32 [ 2, %entry ], [ 3, %left ]
  %any = select i1 %d, i32 %b, i32 1
  %x = call float @nv.load.f32.i32(i32 %any, i32 %n)
  %y = fadd float %x, 1.0
  call void @nv.store.f32.i32(i32 %b, i32 %n, float %y)
  call void @nv.store.f32.i32(i32 %only, i32 %n, float %x)
  br label %last
last:
  %z = phi float [ %y, %right ]
  call void @nv.store.f32.i32(i32 4, i32 %n, float %z)
  ret void
}
; ---- after choose-arrays
define void @k(i1 %c, i1 %d, i32 %n) {
entry:
  %only = select i1 %c, i32 0, i32 4
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %b = phi i32 [ 2, %entry ], [ 3, %left ]
  %any = select i1 %d, i32 %b, i32 1
  switch i32 %any, label %right.array1 [ i32 2, label %right.array2 i32 3, label %right.array3 ]
right.array1:
  %0 = call float @nv.load.f32.i32(i32 1, i32 %n)
  br label %right.chosen
right.array2:
  %1 = call float @nv.load.f32.i32(i32 2, i32 %n)
  br label %right.chosen
right.array3:
  %2 = call float @nv.load.f32.i32(i32 3, i32 %n)
  br label %right.chosen
right.chosen:
  %3 = phi float [ %0, %right.array1 ], [ %1, %right.array2 ], [ %2, %right.array3 ]
  %y = fadd float %3, 1.0
  switch i32 %b, label %right.array2.1 [ i32 3, label %right.array3.1 ]
right.array2.1:
  call void @nv.store.f32.i32(i32 2, i32 %n, float %y)
  br label %right.chosen.1
right.array3.1:
  call void @nv.store.f32.i32(i32 3, i32 %n, float %y)
  br label %right.chosen.1
right.chosen.1:
  call void @nv.store.f32.i32(i32 4, i32 %n, float %3)
  br label %last
last:
  %z = phi float [ %y, %right.chosen.1 ]
  call void @nv.store.f32.i32(i32 4, i32 %n, float %z)
  ret void
}
