; Not unrolled: a round computes for longer than it waits.
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %x0 = add i32 %s, %v
  %x1 = mul i32 %x0, %v
  %x2 = mul i32 %x1, %v
  %x3 = mul i32 %x2, %v
  %x4 = mul i32 %x3, %v
  %x5 = mul i32 %x4, %v
  %x6 = mul i32 %x5, %v
  %x7 = mul i32 %x6, %v
  %x8 = mul i32 %x7, %v
  %x9 = mul i32 %x8, %v
  %x10 = mul i32 %x9, %v
  %x11 = mul i32 %x10, %v
  %x12 = mul i32 %x11, %v
  %x13 = mul i32 %x12, %v
  %x14 = mul i32 %x13, %v
  %x15 = mul i32 %x14, %v
  %x16 = mul i32 %x15, %v
  %x17 = mul i32 %x16, %v
  %x18 = mul i32 %x17, %v
  %x19 = mul i32 %x18, %v
  %x20 = mul i32 %x19, %v
  %x21 = mul i32 %x20, %v
  %x22 = mul i32 %x21, %v
  %x23 = mul i32 %x22, %v
  %x24 = mul i32 %x23, %v
  %x25 = mul i32 %x24, %v
  %x26 = mul i32 %x25, %v
  %x27 = mul i32 %x26, %v
  %x28 = mul i32 %x27, %v
  %x29 = mul i32 %x28, %v
  %x30 = mul i32 %x29, %v
  %x31 = mul i32 %x30, %v
  %x32 = mul i32 %x31, %v
  %x33 = mul i32 %x32, %v
  %x34 = mul i32 %x33, %v
  %x35 = mul i32 %x34, %v
  %x36 = mul i32 %x35, %v
  %x37 = mul i32 %x36, %v
  %x38 = mul i32 %x37, %v
  %x39 = mul i32 %x38, %v
  %x40 = mul i32 %x39, %v
  %x41 = mul i32 %x40, %v
  %x42 = mul i32 %x41, %v
  %x43 = mul i32 %x42, %v
  %x44 = mul i32 %x43, %v
  %x45 = mul i32 %x44, %v
  %x46 = mul i32 %x45, %v
  %x47 = mul i32 %x46, %v
  %x48 = mul i32 %x47, %v
  %x49 = mul i32 %x48, %v
  %x50 = mul i32 %x49, %v
  %x51 = mul i32 %x50, %v
  %x52 = mul i32 %x51, %v
  %x53 = mul i32 %x52, %v
  %x54 = mul i32 %x53, %v
  %x55 = mul i32 %x54, %v
  %x56 = mul i32 %x55, %v
  %x57 = mul i32 %x56, %v
  %x58 = mul i32 %x57, %v
  %x59 = mul i32 %x58, %v
  %x60 = mul i32 %x59, %v
  %x61 = mul i32 %x60, %v
  %x62 = mul i32 %x61, %v
  %sum = add i32 %x62, %v
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
; ---- after unroll-loops
define i32 @k(i32 %n, i32 %b) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %x0 = add i32 %s, %v
  %x1 = mul i32 %x0, %v
  %x2 = mul i32 %x1, %v
  %x3 = mul i32 %x2, %v
  %x4 = mul i32 %x3, %v
  %x5 = mul i32 %x4, %v
  %x6 = mul i32 %x5, %v
  %x7 = mul i32 %x6, %v
  %x8 = mul i32 %x7, %v
  %x9 = mul i32 %x8, %v
  %x10 = mul i32 %x9, %v
  %x11 = mul i32 %x10, %v
  %x12 = mul i32 %x11, %v
  %x13 = mul i32 %x12, %v
  %x14 = mul i32 %x13, %v
  %x15 = mul i32 %x14, %v
  %x16 = mul i32 %x15, %v
  %x17 = mul i32 %x16, %v
  %x18 = mul i32 %x17, %v
  %x19 = mul i32 %x18, %v
  %x20 = mul i32 %x19, %v
  %x21 = mul i32 %x20, %v
  %x22 = mul i32 %x21, %v
  %x23 = mul i32 %x22, %v
  %x24 = mul i32 %x23, %v
  %x25 = mul i32 %x24, %v
  %x26 = mul i32 %x25, %v
  %x27 = mul i32 %x26, %v
  %x28 = mul i32 %x27, %v
  %x29 = mul i32 %x28, %v
  %x30 = mul i32 %x29, %v
  %x31 = mul i32 %x30, %v
  %x32 = mul i32 %x31, %v
  %x33 = mul i32 %x32, %v
  %x34 = mul i32 %x33, %v
  %x35 = mul i32 %x34, %v
  %x36 = mul i32 %x35, %v
  %x37 = mul i32 %x36, %v
  %x38 = mul i32 %x37, %v
  %x39 = mul i32 %x38, %v
  %x40 = mul i32 %x39, %v
  %x41 = mul i32 %x40, %v
  %x42 = mul i32 %x41, %v
  %x43 = mul i32 %x42, %v
  %x44 = mul i32 %x43, %v
  %x45 = mul i32 %x44, %v
  %x46 = mul i32 %x45, %v
  %x47 = mul i32 %x46, %v
  %x48 = mul i32 %x47, %v
  %x49 = mul i32 %x48, %v
  %x50 = mul i32 %x49, %v
  %x51 = mul i32 %x50, %v
  %x52 = mul i32 %x51, %v
  %x53 = mul i32 %x52, %v
  %x54 = mul i32 %x53, %v
  %x55 = mul i32 %x54, %v
  %x56 = mul i32 %x55, %v
  %x57 = mul i32 %x56, %v
  %x58 = mul i32 %x57, %v
  %x59 = mul i32 %x58, %v
  %x60 = mul i32 %x59, %v
  %x61 = mul i32 %x60, %v
  %x62 = mul i32 %x61, %v
  %sum = add i32 %x62, %v
  %next = add i32 %i, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret i32 %sum
}
