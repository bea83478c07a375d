; Complex numbers are two words each, and a negative index counts from the end: neighbours still store close together.
; arrays: 2
; pairing: even
define void @k() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %extent = call i32 @nv.param.extent(i32 0)
  %negative = icmp slt i32 %i, 0
  %more = select i1 %negative, i32 %extent, i32 0
  %place = add i32 %i, %more
  %real = shl i32 %place, 1
  %imaginary = or disjoint i32 %real, 1
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %real)
  %w = call i32 @nv.load.i32.i32(i32 1, i32 %imaginary)
  call void @nv.store.i32.i32(i32 2, i32 %real, i32 %w)
  call void @nv.store.i32.i32(i32 2, i32 %imaginary, i32 %v)
  ret void
}
; ---- after pair-invocations
define void @k() {
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
  %extent = call i32 @nv.param.extent(i32 0)
  %negative = icmp slt i32 %4, 0
  %negative.1 = icmp slt i32 %10, 0
  %more = select i1 %negative, i32 %extent, i32 0
  %more.1 = select i1 %negative.1, i32 %extent, i32 0
  %place = add i32 %4, %more
  %place.1 = add i32 %10, %more.1
  %real = shl i32 %place, 1
  %real.1 = shl i32 %place.1, 1
  %imaginary = or disjoint i32 %real, 1
  %imaginary.1 = or disjoint i32 %real.1, 1
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %real)
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 %real.1)
  %w = call i32 @nv.load.i32.i32(i32 1, i32 %imaginary)
  %w.1 = call i32 @nv.load.i32.i32(i32 1, i32 %imaginary.1)
  call void @nv.store.i32.i32(i32 2, i32 %real, i32 %w)
  call void @nv.store.i32.i32(i32 2, i32 %real.1, i32 %w.1)
  call void @nv.store.i32.i32(i32 2, i32 %imaginary, i32 %v)
  call void @nv.store.i32.i32(i32 2, i32 %imaginary.1, i32 %v.1)
  br label %end
end:
  ret void
}
