; Barriers in both branches are neither merged into one nor moved; loops with barriers are not unrolled at run time.
define void @k() {
entry:
  %t = call i32 @nv.id.local(i32 0)
  %n = call i32 @nv.param.i32(i32 0)
  %c = icmp slt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 1)
  call void @nv.barrier()
  br label %join
no:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 2)
  call void @nv.barrier()
  br label %join
join:
  br label %head
head:
  %i = phi i32 [ 0, %join ], [ %next, %body ]
  %go = icmp slt i32 %i, %n
  br i1 %go, label %body, label %end
body:
  call void @nv.barrier()
  %next = add i32 %i, 1
  br label %head
end:
  ret void
}
declare i32 @nv.id.local(i32)
declare i32 @nv.param.i32(i32)
declare void @nv.store.i32.i32(i32, i32, i32)
declare void @nv.barrier()
; ---- after llvm
define void @k() {
entry:
  %t = call i32 @nv.id.local(i32 0)
  %n = call i32 @nv.param.i32(i32 0)
  %c = icmp slt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 1)
  call void @nv.barrier()
  br label %join
no:
  call void @nv.store.i32.i32(i32 1, i32 %t, i32 2)
  call void @nv.barrier()
  br label %join
join:
  br label %head
head:
  %i = phi i32 [ 0, %join ], [ %next, %body ]
  %go = icmp slt i32 %i, %n
  br i1 %go, label %body, label %end
body:
  call void @nv.barrier()
  %next = add i32 %i, 1
  br label %head
end:
  ret void
}
