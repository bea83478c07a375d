"""Elements of constant arrays at known places become constants."""

import numpy as np

from numba_vulkan.kernel import ConstantArray, KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import fold_constants
from numba_vulkan.middle.passes import Context

ARRAYS = (
    np.array([1.5, -0.0, np.inf], np.float32),
    np.array([-1, 2**62], np.int64),
    np.array([7, 8], np.int8),
)
CONSTANTS = tuple(
    ConstantArray(f"constant.{k}", element, array.tobytes(), 2 + k)
    for k, (element, array) in enumerate(zip(("f32", "i64", "i8"), ARRAYS, strict=True))
)
TEXT = """
define void @k() {
entry:
  %a = call float @nv.load.f32.i32(i32 2, i32 1)
  call void @nv.store.f32.i32(i32 1, i32 0, float %a)
  %b = call float @nv.load.f32.i32(i32 2, i32 0)
  call void @nv.store.f32.i32(i32 1, i32 1, float %b)
  %c = call i64 @nv.load.i64.i32(i32 3, i32 0)
  call void @nv.store.i64.i32(i32 1, i32 2, i64 %c)
  %beyond = call i64 @nv.load.i64.i32(i32 3, i32 2)
  call void @nv.store.i64.i32(i32 1, i32 3, i64 %beyond)
  %small = call i8 @nv.load.i8.i32(i32 4, i32 0)
  %wide = zext i8 %small to i32
  call void @nv.store.i32.i32(i32 1, i32 4, i32 %wide)
  %argument = call float @nv.load.f32.i32(i32 1, i32 0)
  call void @nv.store.f32.i32(i32 1, i32 5, float %argument)
  %i = call i32 @nv.id.global(i32 0)
  %unknown = call float @nv.load.f32.i32(i32 2, i32 %i)
  call void @nv.store.f32.i32(i32 1, i32 6, float %unknown)
  ret void
}
"""


def test_known_elements_are_folded():
    function = parse_function(TEXT, "k")
    interface = KernelInterface("k", "kernel.py", 1, constants=CONSTANTS)
    fold_constants.run(function, Context(interface, Variant(TargetProfile())))
    verify(function)
    text = print_function(function, declarations=False)
    left = [line.split(" = ")[0].strip() for line in text.splitlines() if "@nv.load." in line]
    assert left == ["%beyond", "%small", "%argument", "%unknown"]
    stored = [line.rsplit(" ", 1)[1].rstrip(")") for line in text.splitlines() if "@nv.store." in line]
    assert stored[:3] == ["-0.0", "1.5", "-1"]
