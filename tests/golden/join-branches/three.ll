; Three branches in a row that all stay where their conditions hold; the place behind the loop is entered from elsewhere
; as well.
define void @k(i1 %enters, i32 %limit, i32 %a, ptr %out) {
entry:
  br i1 %enters, label %loop, label %end
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %third ]
  %first = icmp ult i32 %n, %limit
  br i1 %first, label %second, label %end
second:
  %product = mul i32 %n, %a
  %other = icmp ult i32 %product, 1000
  br i1 %other, label %third, label %end
third:
  %next = add i32 %n, 1
  %last = icmp ne i32 %next, %a
  br i1 %last, label %loop, label %end
end:
  %result = phi i32 [ -1, %entry ], [ %n, %loop ], [ %product, %second ], [ %next, %third ]
  store i32 %result, ptr %out
  ret void
}
; ---- after join-branches
define void @k(i1 %enters, i32 %limit, i32 %a, ptr %out) {
entry:
  br i1 %enters, label %loop, label %end
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %first = icmp ult i32 %n, %limit
  %product = mul i32 %n, %a
  %other = icmp ult i32 %product, 1000
  %0 = select i1 %first, i32 %product, i32 %n
  %1 = and i1 %first, %other
  %next = add i32 %n, 1
  %last = icmp ne i32 %next, %a
  %2 = select i1 %1, i32 %next, i32 %0
  %3 = and i1 %1, %last
  br i1 %3, label %loop, label %end
end:
  %result = phi i32 [ -1, %entry ], [ %2, %loop ]
  store i32 %result, ptr %out
  ret void
}
