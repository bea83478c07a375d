"""64-bit integers in words on the device, whether it has 64-bit integers or not, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from numba_vulkan import codegen
from numba_vulkan.kernel import ArrayArgument, KernelInterface, LoweredKernel, Variant
from numba_vulkan.runtime import Device

GENERATOR = np.random.default_rng(64)
COUNT = 8192
INTERFACE = KernelInterface("words", "words.py", 1, tuple(ArrayArgument(k, "i64", 1, "C") for k in range(3)))
KERNEL = """
define void @words() {{
  %i = call i32 @nv.id.global(i32 0)
  %a = call i64 @nv.load.i64.i32(i32 1, i32 %i)
  %b = call i64 @nv.load.i64.i32(i32 2, i32 %i)
{code}
  call void @nv.store.i64.i32(i32 3, i32 %i, i64 %r)
  ret void
}}
declare i32 @nv.id.global(i32)
declare i64 @nv.load.i64.i32(i32, i32)
declare void @nv.store.i64.i32(i32, i32, i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.bitreverse.i64(i64)
declare i64 @llvm.bswap.i64(i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
"""


def numbers() -> np.ndarray:
    """Numbers of all lengths, of both signs, none of them 0."""
    edges = [(s * 2**k + d) % 2**64 for k in range(64) for s in (1, -1) for d in (-1, 0, 1)]
    random = GENERATOR.integers(0, 2**64, COUNT - len(edges), dtype=np.uint64)
    random >>= GENERATOR.integers(0, 64, len(random), dtype=np.uint64)
    values = np.concatenate([np.array(edges, np.uint64), random])
    values[values == 0] = 7
    return GENERATOR.permutation(values)


def run(device: Device, code: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Run ``code``, which computes r of a and b, without 64-bit integers."""
    variant = Variant(replace(device.profile, int64=False))
    lines = "\n".join(f"  {line.strip()}" for line in code.split(";"))
    kernel = codegen.build(LoweredKernel(INTERFACE, (KERNEL.format(code=lines),), "words"), variant)
    assert "Int64" not in kernel.capabilities
    buffers = {binding: device.create_buffer(8 * COUNT) for binding in (1, 2, 3)}
    device.upload(buffers[1], a)
    device.upload(buffers[2], b)
    assert device.run(kernel, (COUNT // 64, 1, 1), buffers, local_size=(64, 1, 1)) == ()
    result = np.zeros(COUNT, np.uint64)
    device.download(buffers[3], result)
    return result


def signed(operation: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda a, b: operation(a.view(np.int64), b.view(np.int64)).view(np.uint64)


def truncated_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient = np.abs(a).view(np.uint64) // np.abs(b).view(np.uint64)
    return np.where((a < 0) != (b < 0), -quotient, quotient).view(np.int64)


SIX = np.uint64(63)
OPERATIONS = {
    "%r = add i64 %a, %b": lambda a, b: a + b,
    "%r = sub i64 %a, %b": lambda a, b: a - b,
    "%r = mul i64 %a, %b": lambda a, b: a * b,
    "%r = udiv i64 %a, %b": lambda a, b: a // b,
    "%r = urem i64 %a, %b": lambda a, b: a % b,
    "%r = sdiv i64 %a, %b": signed(truncated_quotient),
    "%r = srem i64 %a, %b": signed(lambda a, b: a - b * truncated_quotient(a, b)),
    "%r = sdiv i64 %a, 1000": signed(lambda a, b: truncated_quotient(a, np.full_like(b, 1000))),
    "%r = urem i64 %a, 10000000019": lambda a, b: a % np.uint64(10000000019),
    "%k = and i64 %b, 63; %r = shl i64 %a, %k": lambda a, b: a << (b & SIX),
    "%k = and i64 %b, 63; %r = lshr i64 %a, %k": lambda a, b: a >> (b & SIX),
    "%k = and i64 %b, 63; %r = ashr i64 %a, %k": signed(lambda a, b: a >> (b & 63)),
    "%c = icmp ult i64 %a, %b; %r = zext i1 %c to i64": lambda a, b: (a < b).astype(np.uint64),
    "%c = icmp sge i64 %a, %b; %r = sext i1 %c to i64": signed(lambda a, b: -(a >= b).astype(np.int64)),
    "%r = call i64 @llvm.smin.i64(i64 %a, i64 %b)": signed(np.minimum),
    "%r = call i64 @llvm.abs.i64(i64 %a, i1 false)": signed(lambda a, b: np.abs(a)),
    "%r = call i64 @llvm.ctpop.i64(i64 %a)": lambda a, b: np.bitwise_count(a).astype(np.uint64),
    "%x = call i64 @llvm.bswap.i64(i64 %a); %r = xor i64 %x, %b": lambda a, b: a.byteswap() ^ b,
    "%x = sitofp i64 %a to float; %y = bitcast float %x to i32; %r = zext i32 %y to i64": lambda a, b: (
        a.view(np.int64).astype(np.float32).view(np.uint32).astype(np.uint64)
    ),
    "%x = uitofp i64 %a to float; %y = bitcast float %x to i32; %r = zext i32 %y to i64": lambda a, b: (
        a.astype(np.float32).view(np.uint32).astype(np.uint64)
    ),
    "%s = ashr i64 %a, 1; %x = sitofp i64 %s to float; %r = fptosi float %x to i64": signed(
        lambda a, b: (a >> 1).astype(np.float32).astype(np.int64)
    ),
}


@pytest.mark.parametrize("code", OPERATIONS)
def test_operation(device: Device, code: str) -> None:
    a, b = numbers(), numbers()
    if "div i64 %a, %b" in code or "rem i64 %a, %b" in code:
        b = np.where((a == 1 << 63) & (b == 2**64 - 1), np.uint64(3), b)
    result, expected = run(device, code, a, b), OPERATIONS[code](a, b)
    wrong = result != expected
    assert not wrong.any(), [
        tuple(map(hex, t)) for t in np.stack([a, b, result, expected], 1)[wrong][:4].tolist()
    ]


def test_leading_and_trailing_zeros(device: Device) -> None:
    a = np.concatenate([np.zeros(1, np.uint64), numbers()[1:]])
    code = "%x = call i64 @llvm.ctlz.i64(i64 %a, i1 false); %y = call i64 @llvm.cttz.i64(i64 %a, i1 false)"
    code += "; %z = shl i64 %y, 8; %r = or i64 %x, %z"
    expected = [(64 - v.bit_length()) | ((v & -v).bit_length() - 1 if v else 64) << 8 for v in a.tolist()]
    assert run(device, code, a, a).tolist() == expected


def test_reversed_bits_and_rotation(device: Device) -> None:
    a, b = numbers(), numbers()
    code = "%x = call i64 @llvm.bitreverse.i64(i64 %a); %r = call i64 @llvm.fshl.i64(i64 %x, i64 %x, i64 %b)"
    mirrored = [int(f"{v:064b}"[::-1], 2) for v in a.tolist()]
    expected = [
        (m << (k & 63) | m >> (64 - (k & 63))) & (2**64 - 1)
        for m, k in zip(mirrored, b.tolist(), strict=True)
    ]
    assert run(device, code, a, b).tolist() == expected
