; An array that is accessed as two types is one of words from here on, and what the kernel makes holds as many words.
; arrays: 1
define void @k() {
entry:
  call void @nv.workgroup.i16(i32 65536, i32 5)
  call void @nv.localvariable.f64(i32 1048576, i32 3)
  %whole = call i16 @nv.load.i16.i32(i32 65536, i32 1)
  %part = call i8 @nv.load.i8.i32(i32 65536, i32 3)
  %bits = call i64 @nv.load.i64.i32(i32 1048576, i32 2)
  call void @nv.store.f64.i32(i32 1048576, i32 0, double 1.0)
  ret void
}
; ---- after widen-to-words
define void @k() {
entry:
  call void @nv.workgroup.words(i32 65536, i32 3)
  call void @nv.localvariable.words(i32 1048576, i32 6)
  %whole = call i16 @nv.load.i16.i32(i32 65536, i32 1)
  %part = call i8 @nv.load.i8.i32(i32 65536, i32 3)
  %bits = call i64 @nv.load.i64.i32(i32 1048576, i32 2)
  call void @nv.store.f64.i32(i32 1048576, i32 0, double 1.0)
  ret void
}
