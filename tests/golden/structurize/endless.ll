; A loop that never ends has a merge block that is never reached.
define void @k() {
entry:
  br label %loop
loop:
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 1)
  br label %loop
}
; ---- after structurize
define void @k() {
entry:
  br label %loop.loop
loop.loop:
  br label %loop ; loop %loop.merge %loop.continue
loop:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 1)
  br label %loop.continue
loop.continue:
  br label %loop.loop
loop.merge:
  unreachable
}
