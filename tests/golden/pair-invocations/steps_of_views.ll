; The steps of a view are known to the launch alone: they may be small.
; arrays: 2
; pairing: even
define void @k() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %step = call i32 @nv.param.i32(i32 0)
  %place = mul i32 %i, %step
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %place)
  call void @nv.store.i32.i32(i32 2, i32 %place, i32 %v)
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
  %step = call i32 @nv.param.i32(i32 0)
  %place = mul i32 %4, %step
  %place.1 = mul i32 %10, %step
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %place)
  %v.1 = call i32 @nv.load.i32.i32(i32 1, i32 %place.1)
  call void @nv.store.i32.i32(i32 2, i32 %place, i32 %v)
  call void @nv.store.i32.i32(i32 2, i32 %place.1, i32 %v.1)
  br label %end
end:
  ret void
}
