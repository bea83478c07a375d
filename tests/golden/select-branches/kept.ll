; Loads of arrays may lie outside of them, and a division by zero has no result: they stay behind their branches, as does
; what takes long.
declare i32 @nv.load.i32.i32(i32, i32)
define void @k(i1 %c, i32 %x, ptr %out) {
entry:
  br i1 %c, label %loads, label %second
loads:
  %l = call i32 @nv.load.i32.i32(i32 1, i32 %x)
  br label %second
second:
  %a = phi i32 [ 0, %entry ], [ %l, %loads ]
  br i1 %c, label %divides, label %third
divides:
  %q = udiv i32 7, %x
  br label %third
third:
  %b = phi i32 [ %a, %second ], [ %q, %divides ]
  br i1 %c, label %long, label %end
long:
  %s1 = mul i32 %b, %x
  %s2 = mul i32 %s1, %x
  %s3 = mul i32 %s2, %x
  %s4 = mul i32 %s3, %x
  %s5 = mul i32 %s4, %x
  %s6 = mul i32 %s5, %x
  %s7 = mul i32 %s6, %x
  br label %end
end:
  %r = phi i32 [ %b, %third ], [ %s7, %long ]
  store i32 %r, ptr %out
  ret void
}
; ---- after select-branches
define void @k(i1 %c, i32 %x, ptr %out) {
entry:
  br i1 %c, label %loads, label %second
loads:
  %l = call i32 @nv.load.i32.i32(i32 1, i32 %x)
  br label %second
second:
  %a = phi i32 [ 0, %entry ], [ %l, %loads ]
  br i1 %c, label %divides, label %third
divides:
  %q = udiv i32 7, %x
  br label %third
third:
  %b = phi i32 [ %a, %second ], [ %q, %divides ]
  br i1 %c, label %long, label %end
long:
  %s1 = mul i32 %b, %x
  %s2 = mul i32 %s1, %x
  %s3 = mul i32 %s2, %x
  %s4 = mul i32 %s3, %x
  %s5 = mul i32 %s4, %x
  %s6 = mul i32 %s5, %x
  %s7 = mul i32 %s6, %x
  br label %end
end:
  %r = phi i32 [ %b, %third ], [ %s7, %long ]
  store i32 %r, ptr %out
  ret void
}
