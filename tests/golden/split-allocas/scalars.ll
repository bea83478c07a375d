; A structure whose members are addressed by constants becomes one variable per member that is used.
define void @k(i64 %x) {
entry:
  %s = alloca { i64, double, i8 }
  %m = getelementptr { i64, double, i8 }, ptr %s, i32 0, i32 1
  %n = getelementptr i8, ptr %s, i64 16
  store i64 %x, ptr %s
  store i8 1, ptr %n
  %b = load double, ptr %m
  %f = load i1, ptr %n
  ret void
}
; ---- after split-allocas
define void @k(i64 %x) {
entry:
  %s.0 = alloca i64
  %s.1 = alloca double
  %s.2 = alloca i8
  store i64 %x, ptr %s.0
  store i8 1, ptr %s.2
  %b = load double, ptr %s.1
  %0 = load i8, ptr %s.2
  %1 = trunc i8 %0 to i1
  ret void
}
