"""Where control meets again, and which values are the same for a workgroup."""

from numba_vulkan.graphs.postdominators import immediate_postdominators
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.middle.passes import Context
from numba_vulkan.middle.uniformity import Uniformity


def test_postdominators():
    #       0 -> 1, 2; 1 -> 3; 2 -> 3, 4; 3 -> 5; 4 -> 4 (for ever); 5 ends
    assert immediate_postdominators([[1, 2], [3], [3, 4], [5], [4], []]) == [3, 3, 3, 5, -1, -1]
    # A loop with a second way out: 1 -> 2, 4; 2 -> 3, 4; 3 -> 1
    assert immediate_postdominators([[1], [2, 4], [3, 4], [1], []]) == [1, 4, 4, 1, -1]


KERNEL = """
define void @k() {
entry:
  %t = call i32 @nv.id.local(i32 0)
  %g = call i32 @nv.id.group(i32 0)
  %n = call i32 @nv.param.i32(i32 0)
  call void @nv.store.i32.i32(i32 2, i32 %t, i32 %g)
  %fixed = call i32 @nv.load.i32.i32(i32 1, i32 %g)
  %own = call i32 @nv.load.i32.i32(i32 1, i32 %t)
  %changed = call i32 @nv.load.i32.i32(i32 2, i32 %g)
  %shared = call i32 @nv.load.i32.i32(i32 65536, i32 %n)
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %s = phi i32 [ 0, %entry ], [ %met, %latch ]
  %out = icmp slt i32 %k, %t
  br i1 %out, label %body, label %done
body:
  %next = add i32 %k, 1
  %odd = icmp eq i32 %own, 1
  br i1 %odd, label %one, label %latch
one:
  br label %latch
latch:
  %met = phi i32 [ 1, %one ], [ 2, %body ]
  br label %head
done:
  %left = add i32 %k, %n
  %kept = add i32 %g, %n
  ret void
}
"""


def test_uniform_values():
    function = parse_function(KERNEL, "k")
    context = Context(KernelInterface("k", "k.py", 1), Variant(TargetProfile(), aliased=False))
    divergent = Uniformity(function, context).divergent
    found = {i.name: i in divergent for i in function.instructions() if i.name}
    assert sorted(name for name, differs in found.items() if differs) == sorted(
        ("t", "own", "changed", "s", "out", "odd", "met", "left")
    )


LOOP = """
define void @k() {
entry:
  %t = call i32 @nv.id.local(i32 0)
  %n = call i32 @nv.param.i32(i32 0)
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %outer, label %done
outer:
  %a = icmp eq i32 %t, %k
  br i1 %a, label %inner, label %other
inner:
  %b = icmp eq i32 %t, 3
  br i1 %b, label %done, label %latch
other:
  br label %latch
latch:
  %next = add i32 %k, 1
  br label %head
done:
  ret void
}
"""


def test_counter_of_a_loop_that_some_leave_early():
    """Ways that meet in the latch have met once: the header behind it is no further meeting."""
    function = parse_function(LOOP, "k")
    context = Context(KernelInterface("k", "k.py", 1), Variant(TargetProfile(), aliased=False))
    divergent = Uniformity(function, context).divergent
    assert sorted(i.name for i in function.instructions() if i in divergent) == ["a", "b", "t"]
