; A branch on what a branch on the way has decided is none, and blocks that are left empty are passed by.
define void @k() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %c = icmp eq i32 %i, 0
  br i1 %c, label %zero, label %other
zero:
  %again = icmp eq i32 0, %i
  br i1 %again, label %yes, label %no
yes:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 1)
  br label %done
no:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 2)
  br label %done
other:
  %a = sub i32 %i, 1
  %odd = and i32 %i, 1
  %d = icmp eq i32 %odd, 0
  br i1 %d, label %even, label %done
even:
  %b = sub i32 %i, 1
  br label %done
done:
  %r = phi i32 [ 0, %yes ], [ 1, %no ], [ 7, %other ], [ %b, %even ]
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %r)
  ret void
}
; ---- after merge-values
define void @k() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %c = icmp eq i32 %i, 0
  br i1 %c, label %yes, label %other
yes:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 1)
  br label %done
other:
  %a = sub i32 %i, 1
  %odd = and i32 %i, 1
  %d = icmp eq i32 %odd, 0
  br i1 %d, label %even, label %done
even:
  br label %done
done:
  %r = phi i32 [ 0, %yes ], [ 7, %other ], [ %a, %even ]
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %r)
  ret void
}
