; What the device lacks becomes a loop around compare-and-swap, which splits the block; floats are handled as bits.
define void @k(i1 %c, i32 %i, float %x, i32 %n) {
entry:
  br i1 %c, label %change, label %end
change:
  %a = call float @nv.atomic.fadd.f32(i32 1, i32 %i, float %x)
  %b = call i32 @nv.atomic.uinc.i32(i32 2, i32 %i, i32 %n)
  %e = call float @nv.atomic.exchange.f32(i32 1, i32 0, float %a)
  br label %end
end:
  %r = phi float [ %x, %entry ], [ %e, %change ]
  call void @nv.store.f32.i32(i32 3, i32 %i, float %r)
  ret void
}
; ---- after lower-atomics
define void @k(i1 %c, i32 %i, float %x, i32 %n) {
entry:
  br i1 %c, label %change, label %end
change:
  %0 = call i32 @nv.atomic.peek.i32(i32 1, i32 %i)
  br label %change.again
change.again:
  %1 = phi i32 [ %0, %change ], [ %5, %change.again ]
  %2 = bitcast i32 %1 to float
  %3 = fadd float %2, %x
  %4 = bitcast float %3 to i32
  %5 = call i32 @nv.atomic.swap.i32(i32 1, i32 %i, i32 %1, i32 %4)
  %6 = icmp eq i32 %5, %1
  br i1 %6, label %change.after, label %change.again
change.after:
  %7 = call i32 @nv.atomic.peek.i32(i32 2, i32 %i)
  br label %change.after.again
change.after.again:
  %8 = phi i32 [ %7, %change.after ], [ %12, %change.after.again ]
  %9 = icmp uge i32 %8, %n
  %10 = add i32 %8, 1
  %11 = select i1 %9, i32 0, i32 %10
  %12 = call i32 @nv.atomic.swap.i32(i32 2, i32 %i, i32 %8, i32 %11)
  %13 = icmp eq i32 %12, %8
  br i1 %13, label %change.after.after, label %change.after.again
change.after.after:
  %14 = bitcast float %2 to i32
  %15 = call i32 @nv.atomic.exchange.i32(i32 1, i32 0, i32 %14)
  %16 = bitcast i32 %15 to float
  br label %end
end:
  %r = phi float [ %x, %entry ], [ %16, %change.after.after ]
  call void @nv.store.f32.i32(i32 3, i32 %i, float %r)
  ret void
}
