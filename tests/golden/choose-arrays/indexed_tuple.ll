; A tuple of arrays that is indexed at run time is a variable that holds their bindings.
declare float @nv.load.f32.i32(i32, i32)
define void @k(i32 %n) {
entry:
  %tuple = alloca [2 x i32]
  %first = getelementptr i32, ptr %tuple, i32 0
  store i32 1, ptr %first
  %second = getelementptr i32, ptr %tuple, i32 1
  store i32 3, ptr %second
  %one = getelementptr i32, ptr %tuple, i32 %n
  %b = load i32, ptr %one
  %x = call float @nv.load.f32.i32(i32 %b, i32 %n)
  ret void
}
; ---- after choose-arrays
define void @k(i32 %n) {
entry:
  %tuple = alloca [2 x i32]
  %first = getelementptr i32, ptr %tuple, i32 0
  store i32 1, ptr %first
  %second = getelementptr i32, ptr %tuple, i32 1
  store i32 3, ptr %second
  %one = getelementptr i32, ptr %tuple, i32 %n
  %b = load i32, ptr %one
  switch i32 %b, label %entry.array1 [ i32 3, label %entry.array3 ]
entry.array1:
  %0 = call float @nv.load.f32.i32(i32 1, i32 %n)
  br label %entry.chosen
entry.array3:
  %1 = call float @nv.load.f32.i32(i32 3, i32 %n)
  br label %entry.chosen
entry.chosen:
  %2 = phi float [ %0, %entry.array1 ], [ %1, %entry.array3 ]
  ret void
}
