; Numba's functions return values through pointers and a status: after inlining nothing of it is left.
declare i32 @nv.id.global(i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i32.i32(i32, i32, i32)
define void @k() {
  %slot = alloca { i32, i32 }
  %i = call i32 @nv.id.global(i32 0)
  %x = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %status = call i32 @pair(ptr %slot, i32 %x)
  %ok = icmp eq i32 %status, 0
  br i1 %ok, label %good, label %bad
good:
  %value = load { i32, i32 }, ptr %slot
  %second = extractvalue { i32, i32 } %value, 1
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %second)
  ret void
bad:
  ret void
}
define i32 @pair(ptr %result, i32 %x) {
  %y = mul i32 %x, %x
  %first = insertvalue { i32, i32 } undef, i32 %x, 0
  %both = insertvalue { i32, i32 } %first, i32 %y, 1
  store { i32, i32 } %both, ptr %result
  ret i32 0
}
; ---- after llvm
define void @k() {
good:
  %i = call i32 @nv.id.global(i32 0)
  %x = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %y.i = mul i32 %x, %x
  call void @nv.store.i32.i32(i32 2, i32 %i, i32 %y.i)
  ret void
}
