; Words are compared as what they are: signed, unsigned, or not at all where an operand is each; what is decided is a
; constant. Divisions keep the sign of what they divide.
define void @k() {
entry:
  %id = call i32 @nv.id.global(i32 0)
  %i = zext i32 %id to i64
  %e = call i32 @nv.param.extent(i32 0)
  %n = zext i32 %e to i64
  %before = sub i64 %n, 1
  %double = mul i64 %i, 2
  %signed = icmp slt i64 %before, %i
  %unsigned = icmp sgt i64 %double, %n
  %mixed = icmp slt i64 %before, %double
  %decided = icmp eq i64 %before, -9223372036854775808
  %a = and i1 %signed, %unsigned
  %b = and i1 %mixed, %decided
  %c = or i1 %a, %b
  %q = sdiv i64 %before, 3
  %r = srem i64 %double, 5
  %f = sitofp i64 %q to float
  %chosen = select i1 %c, i64 %q, i64 %r
  %t = trunc i64 %chosen to i32
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 0)
  call void @nv.store.f32.i32(i32 2, i32 %t, float %f)
  ret void
}
; ---- after shrink-int64
define void @k() {
entry:
  %id = call i32 @nv.id.global(i32 0)
  %i = zext i32 %id to i64
  %e = call i32 @nv.param.extent(i32 0)
  %n = zext i32 %e to i64
  %before = sub i32 %e, 1
  %0 = sext i32 %before to i64
  %double = mul i32 %id, 2
  %1 = zext i32 %double to i64
  %2 = icmp slt i32 %before, %id
  %3 = icmp ugt i32 %double, %e
  %mixed = icmp slt i64 %0, %1
  %a = and i1 %2, %3
  %b = and i1 %mixed, false
  %c = or i1 %a, %b
  %q = sdiv i32 %before, 3
  %4 = sext i32 %q to i64
  %r = urem i32 %double, 5
  %5 = zext i32 %r to i64
  %6 = sitofp i32 %q to float
  %chosen = select i1 %c, i32 %q, i32 %r
  %7 = sext i32 %chosen to i64
  call void @nv.store.i32.i32(i32 1, i32 %chosen, i32 0)
  call void @nv.store.f32.i32(i32 2, i32 %chosen, float %6)
  ret void
}
