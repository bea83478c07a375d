; Counters that run alike are one, and so is what is loaded in a loop that writes nothing; not what another round reads.
define void @k() {
entry:
  %first = call i32 @nv.load.i32.i32(i32 1, i32 0)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %j = phi i32 [ 0, %entry ], [ %j.next, %body ]
  %s = phi i32 [ 0, %entry ], [ %sum, %body ]
  %go = icmp slt i32 %i, 9
  br i1 %go, label %body, label %second
body:
  %again = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %j)
  %w = add i32 %v, %again
  %sum = add i32 %s, %w
  %i.next = add nsw i32 %i, 1
  %j.next = add i32 %j, 1
  br label %head
second:
  %k = phi i32 [ 0, %head ], [ %k.next, %second ]
  %changed = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %k.next = add i32 %k, %changed
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %k.next)
  %more = icmp slt i32 %k.next, 100
  br i1 %more, label %second, label %done
done:
  %last = add i32 %s, %first
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %last)
  ret void
}
; ---- after merge-values
define void @k() {
entry:
  %first = call i32 @nv.load.i32.i32(i32 1, i32 0)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %s = phi i32 [ 0, %entry ], [ %sum, %body ]
  %go = icmp slt i32 %i, 9
  br i1 %go, label %body, label %second
body:
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %w = add i32 %v, %first
  %sum = add i32 %s, %w
  %i.next = add i32 %i, 1
  br label %head
second:
  %k = phi i32 [ 0, %head ], [ %k.next, %second ]
  %changed = call i32 @nv.load.i32.i32(i32 1, i32 0)
  %k.next = add i32 %k, %changed
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %k.next)
  %more = icmp slt i32 %k.next, 100
  br i1 %more, label %second, label %done
done:
  %last = add i32 %s, %first
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %last)
  ret void
}
