; A phi of a structure becomes one per scalar; inserting and extracting leaves no instruction behind.
define void @k(i1 %c, i64 %x) {
entry:
  br label %loop
loop:
  %s = phi { i64, [2 x float] } [ undef, %entry ], [ %u, %loop ]
  %i = extractvalue { i64, [2 x float] } %s, 0
  %j = add i64 %i, %x
  %t = insertvalue { i64, [2 x float] } %s, i64 %j, 0
  %u = insertvalue { i64, [2 x float] } %t, float 1.0, 1, 1
  br i1 %c, label %loop, label %end
end:
  ret void
}
; ---- after scalarize-aggregates
define void @k(i1 %c, i64 %x) {
entry:
  br label %loop
loop:
  %s.0 = phi i64 [ undef, %entry ], [ %j, %loop ]
  %s.1 = phi float [ undef, %entry ], [ %s.1, %loop ]
  %s.2 = phi float [ undef, %entry ], [ 1.0, %loop ]
  %j = add i64 %s.0, %x
  br i1 %c, label %loop, label %end
end:
  ret void
}
