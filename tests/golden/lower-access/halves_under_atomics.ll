; 16-bit elements on which atomic operations work lie in words, even where a buffer could hold them.
define void @k(i32 %i, i32 %v) {
entry:
  %a = call i32 @nv.atomic.cas.i32(i32 1, i32 %i, i32 0, i32 1)
  %t = trunc i32 %v to i16
  call void @nv.store.i16.i32(i32 1, i32 %i, i16 %t)
  call void @nv.store.i16.i32(i32 2, i32 %i, i16 %t)
  ret void
}
; ---- after lower-access
define void @k(i32 %i, i32 %v) {
entry:
  %a = call i32 @nv.atomic.cas.i32(i32 1, i32 %i, i32 0, i32 1)
  %t = trunc i32 %v to i16
  %0 = lshr i32 %i, 1
  %1 = and i32 %i, 1
  %2 = shl i32 %1, 4
  %3 = and i32 %v, 65535
  %4 = shl i32 65535, %2
  %5 = shl i32 %3, %2
  %6 = xor i32 %4, -1
  call void @nv.word.and(i32 1, i32 %0, i32 %6)
  call void @nv.word.or(i32 1, i32 %0, i32 %5)
  call void @nv.store.i16.i32(i32 2, i32 %i, i16 %t)
  ret void
}
