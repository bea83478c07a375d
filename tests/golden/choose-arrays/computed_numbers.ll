; LLVM computes which of two arrays is meant from the condition, instead of choosing between their numbers.
declare float @nv.load.f32.i32(i32, i32)
define void @k(i32 %i, i1 %c) {
entry:
  %parity = and i32 %i, 1
  %first = sub i32 2, %parity
  %x = call float @nv.load.f32.i32(i32 %first, i32 %i)
  %wide = zext i1 %c to i32
  %twice = shl i32 %wide, 1
  %second = or i32 %twice, 1
  %y = call float @nv.load.f32.i32(i32 %second, i32 %i)
  %sum = fadd float %x, %y
  call void @nv.store.f32.i32(i32 4, i32 %i, float %sum)
  ret void
}
; ---- after choose-arrays
define void @k(i32 %i, i1 %c) {
entry:
  %parity = and i32 %i, 1
  %first = sub i32 2, %parity
  switch i32 %first, label %entry.array1 [ i32 2, label %entry.array2 ]
entry.array1:
  %0 = call float @nv.load.f32.i32(i32 1, i32 %i)
  br label %entry.chosen
entry.array2:
  %1 = call float @nv.load.f32.i32(i32 2, i32 %i)
  br label %entry.chosen
entry.chosen:
  %2 = phi float [ %0, %entry.array1 ], [ %1, %entry.array2 ]
  %wide = zext i1 %c to i32
  %twice = shl i32 %wide, 1
  %second = or i32 %twice, 1
  switch i32 %second, label %entry.array1.1 [ i32 3, label %entry.array3 ]
entry.array1.1:
  %3 = call float @nv.load.f32.i32(i32 1, i32 %i)
  br label %entry.chosen.1
entry.array3:
  %4 = call float @nv.load.f32.i32(i32 3, i32 %i)
  br label %entry.chosen.1
entry.chosen.1:
  %5 = phi float [ %3, %entry.array1.1 ], [ %4, %entry.array3 ]
  %sum = fadd float %2, %5
  call void @nv.store.f32.i32(i32 4, i32 %i, float %sum)
  ret void
}
