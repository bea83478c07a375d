; Two sides that meet need no target variable.
define i32 @k(i1 %c, i32 %a, i32 %b) {
entry:
  br i1 %c, label %yes, label %no
yes:
  %sum = add i32 %a, %b
  br label %end
no:
  %product = mul i32 %a, %b
  br label %end
end:
  %r = phi i32 [ %sum, %yes ], [ %product, %no ]
  ret i32 %r
}
; ---- after structurize
define i32 @k(i1 %c, i32 %a, i32 %b) {
entry:
  %r.var = alloca i32
  br i1 %c, label %yes, label %no ; selection %end
yes:
  %sum = add i32 %a, %b
  store i32 %sum, ptr %r.var
  br label %end
no:
  %product = mul i32 %a, %b
  store i32 %product, ptr %r.var
  br label %end
end:
  %r = load i32, ptr %r.var
  ret i32 %r
}
