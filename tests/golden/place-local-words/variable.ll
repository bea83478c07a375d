; An array of records of one invocation: its words are a variable, and parts of words need no atomic operations.
define void @k(i32 %i, i32 %v) {
entry:
  call void @nv.localvariable.words(i32 1048576, i32 4)
  %x = call i32 @nv.load.i32.i32(i32 1048576, i32 %i)
  call void @nv.word.and(i32 1048576, i32 2, i32 -256)
  call void @nv.word.or(i32 1048576, i32 2, i32 %x)
  call void @nv.store.i32.i32(i32 1048576, i32 0, i32 %v)
  call void @nv.word.or(i32 1, i32 2, i32 %x)
  ret void
}
; ---- after place-local-words
define void @k(i32 %i, i32 %v) {
entry:
  %local = alloca [4 x i32]
  %0 = getelementptr i32, ptr %local, i32 %i
  %x = load i32, ptr %0
  %1 = getelementptr i32, ptr %local, i32 2
  %2 = load i32, ptr %1
  %3 = and i32 %2, -256
  store i32 %3, ptr %1
  %4 = getelementptr i32, ptr %local, i32 2
  %5 = load i32, ptr %4
  %6 = or i32 %5, %x
  store i32 %6, ptr %4
  %7 = getelementptr i32, ptr %local, i32 0
  store i32 %v, ptr %7
  call void @nv.word.or(i32 1, i32 2, i32 %x)
  ret void
}
