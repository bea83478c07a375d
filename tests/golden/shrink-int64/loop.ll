; A counter that ends at an extent, and a sum of which only the low word is stored, are words; a product that may need
; 64 bits is not, and gets the counter extended.
define void @k() {
entry:
  %id = call i32 @nv.id.global(i32 0)
  %i = zext i32 %id to i64
  %extent = call i32 @nv.param.extent(i32 0)
  %n = zext i32 %extent to i64
  %any = call i64 @nv.param.i64(i32 2)
  br label %head
head:
  %k = phi i64 [ %i, %entry ], [ %next, %body ]
  %sum = phi i64 [ %any, %entry ], [ %more, %body ]
  %goes = icmp slt i64 %k, %n
  br i1 %goes, label %body, label %end
body:
  %more = add i64 %sum, %k
  %product = mul i64 %k, %k
  call void @nv.store.i64.i32(i32 1, i32 0, i64 %product)
  %next = add nsw i64 %k, 3
  br label %head
end:
  %low = trunc i64 %sum to i32
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %low)
  ret void
}
; ---- after shrink-int64
define void @k() {
entry:
  %id = call i32 @nv.id.global(i32 0)
  %i = zext i32 %id to i64
  %extent = call i32 @nv.param.extent(i32 0)
  %n = zext i32 %extent to i64
  %any = call i64 @nv.param.i64(i32 2)
  %0 = trunc i64 %any to i32
  br label %head
head:
  %k = phi i32 [ %id, %entry ], [ %next, %body ]
  %sum = phi i32 [ %0, %entry ], [ %more, %body ]
  %1 = zext i32 %k to i64
  %2 = sext i32 %sum to i64
  %3 = icmp ult i32 %k, %extent
  br i1 %3, label %body, label %end
body:
  %more = add i32 %sum, %k
  %4 = sext i32 %more to i64
  %product = mul i64 %1, %1
  call void @nv.store.i64.i32(i32 1, i32 0, i64 %product)
  %next = add i32 %k, 3
  %5 = zext i32 %next to i64
  br label %head
end:
  call void @nv.store.i32.i32(i32 2, i32 0, i32 %sum)
  ret void
}
