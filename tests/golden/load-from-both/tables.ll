; LLVM joins the loads of two branches to one from an address that it chooses.
@a = internal constant [2 x i64] [i64 1, i64 2]
@b = internal constant [2 x i64] [i64 3, i64 4]
define void @k() {
entry:
  %i = call i64 @nv.load.i64.i32(i32 1, i32 0)
  %c = icmp slt i64 %i, 1
  %table = select i1 %c, ptr @a, ptr @b
  %moved = getelementptr i8, ptr %table, i64 8
  %place = getelementptr i64, ptr %moved, i64 %i
  %x = load i64, ptr %place
  call void @nv.store.i64.i32(i32 1, i32 0, i64 %x)
  ret void
}
; ---- after load-from-both
@a = private unnamed_addr constant [2 x i64] [i64 1, i64 2]
@b = private unnamed_addr constant [2 x i64] [i64 3, i64 4]
define void @k() {
entry:
  %i = call i64 @nv.load.i64.i32(i32 1, i32 0)
  %c = icmp slt i64 %i, 1
  %0 = getelementptr i8, ptr @a, i64 8
  %1 = getelementptr i64, ptr %0, i64 %i
  %2 = load i64, ptr %1
  %3 = getelementptr i8, ptr @b, i64 8
  %4 = getelementptr i64, ptr %3, i64 %i
  %5 = load i64, ptr %4
  %x = select i1 %c, i64 %2, i64 %5
  call void @nv.store.i64.i32(i32 1, i32 0, i64 %x)
  ret void
}
