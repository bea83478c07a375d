; A constant table of structures becomes one table per member, addressed by one index.
@table = private constant [2 x { i32, double }] [{ i32, double } { i32 1, double 1.5 }, { i32, double } { i32 2, double 2.5 }]
define void @k(i32 %i) {
entry:
  %p = getelementptr [2 x { i32, double }], ptr @table, i64 0, i32 %i
  %v = load i32, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %w = load double, ptr %q
  ret void
}
; ---- after split-allocas
@table.0 = private unnamed_addr constant [2 x i32] [i32 1, i32 2]
@table.1 = private unnamed_addr constant [2 x double] [double 1.5, double 2.5]
define void @k(i32 %i) {
entry:
  %0 = getelementptr i32, ptr @table.0, i32 %i
  %v = load i32, ptr %0
  %1 = getelementptr double, ptr @table.1, i32 %i
  %w = load double, ptr %1
  ret void
}
