; Whether an element fits is asked of those that are narrowed; the bits of a float64 stay as they are, and so does the
; constant that they are compared with.
; narrow: ints
define void @k() {
entry:
  %x = call i64 @nv.load.i64.i32(i32 1, i32 0)
  %lost = call i32 @nv.load.i64_as_excess.i32(i32 1, i32 0, i64 %x)
  call void @nv.store.i32.i32(i32 3, i32 0, i32 %lost)
  call void @nv.status.put.i64(i32 4, i64 %x)
  %bits = call i64 @nv.load.i64.i32(i32 1, i32 1)
  %none = call i32 @nv.load.i64_as_excess.i32(i32 1, i32 1, i64 %bits)
  call void @nv.store.i32.i32(i32 3, i32 1, i32 %none)
  %large = icmp ugt i64 %bits, 4607182418800017408
  br i1 %large, label %then, label %end
then:
  %f = call double @nv.frombits.f64(i64 %bits)
  call void @nv.store.f64.i32(i32 2, i32 0, double %f)
  br label %end
end:
  ret void
}
; ---- after narrow-ints
define void @k() {
entry:
  %x = call i32 @nv.load.i64_as_i32.i32(i32 1, i32 0)
  %0 = call i32 @nv.load.i64_as_excess.i32(i32 1, i32 0)
  call void @nv.store.i32.i32(i32 3, i32 0, i32 %0)
  call void @nv.status.put.i32(i32 4, i32 %x)
  %bits = call i64 @nv.load.i64.i32(i32 1, i32 1)
  call void @nv.store.i32.i32(i32 3, i32 1, i32 0)
  %large = icmp ugt i64 %bits, 4607182418800017408
  br i1 %large, label %then, label %end
then:
  %f = call double @nv.frombits.f64(i64 %bits)
  call void @nv.store.f64.i32(i32 2, i32 0, double %f)
  br label %end
end:
  ret void
}
