; Loads and stores of structures become those of their scalars, at the offsets that LLVM's layout gives.
define void @k(i8 %x) {
entry:
  %p = alloca { i8, { double, i1 } }
  %q = alloca { i8, { double, i1 } }
  store { i8, { double, i1 } } { i8 1, { double, i1 } { double 2.0, i1 true } }, ptr %p
  %v = load { i8, { double, i1 } }, ptr %p
  %w = insertvalue { i8, { double, i1 } } %v, i8 %x, 0
  store { i8, { double, i1 } } %w, ptr %q
  ret void
}
; ---- after scalarize-aggregates
define void @k(i8 %x) {
entry:
  %p = alloca { i8, { double, i1 } }
  %q = alloca { i8, { double, i1 } }
  store i8 1, ptr %p
  %0 = getelementptr i8, ptr %p, i64 8
  store double 2.0, ptr %0
  %1 = getelementptr i8, ptr %p, i64 16
  store i1 true, ptr %1
  %2 = load i8, ptr %p
  %3 = getelementptr i8, ptr %p, i64 8
  %4 = load double, ptr %3
  %5 = getelementptr i8, ptr %p, i64 16
  %6 = load i1, ptr %5
  store i8 %x, ptr %q
  %7 = getelementptr i8, ptr %q, i64 8
  store double %4, ptr %7
  %8 = getelementptr i8, ptr %q, i64 16
  store i1 %6, ptr %8
  ret void
}
