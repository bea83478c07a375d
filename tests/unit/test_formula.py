"""Integers that a launch computes from its parameters."""

import struct

from numba_vulkan.formulas import Formula

PARAMETERS = struct.pack("<qii", -3, 7, -2)


def parameter(offset, bits):
    return Formula("parameter", bits, offset)


def test_values():
    def of(opcode, bits, *operands):
        return Formula(opcode, bits, 0, operands).evaluate(PARAMETERS)

    wide, seven, negative = parameter(0, 64), parameter(2, 32), parameter(3, 32)
    assert wide.evaluate(PARAMETERS) == 2**64 - 3
    assert of("trunc", 32, wide) == 2**32 - 3
    assert of("sext", 64, negative) == 2**64 - 2
    assert of("zext", 64, negative) == 2**32 - 2
    assert of("mul", 32, seven, negative) == 2**32 - 14
    assert of("sub", 32, seven, Formula("constant", 32, 9)) == 2**32 - 2
    assert of("shl", 32, seven, Formula("constant", 32, 2)) == 28
    assert of("lshr", 32, negative, Formula("constant", 32, 28)) == 15
    assert of("and", 32, seven, Formula("constant", 32, 5)) == 5
    assert of("xor", 32, seven, of_constant := Formula("constant", 32, 2)) == 5
    assert of("or", 32, of_constant, Formula("constant", 32, 1)) == 3
    assert of("add", 32, negative, seven) == 5


def test_comparisons_and_choices():
    def of(opcode, bits, *operands):
        return Formula(opcode, bits, 0, operands).evaluate(PARAMETERS)

    wide, seven, negative = parameter(0, 64), parameter(2, 32), parameter(3, 32)
    assert of("icmp ult", 1, seven, negative) == of("icmp sgt", 1, seven, negative) == 1
    assert of("icmp eq", 1, seven, negative) == of("icmp uge", 1, seven, negative) == 0
    assert of("umin", 32, seven, negative) == of("smax", 32, seven, negative) == 7
    assert of("umax", 32, seven, negative) == of("smin", 32, seven, negative) == 2**32 - 2
    assert of("ashr", 32, negative, Formula("constant", 32, 1)) == 2**32 - 1
    assert of("ashr", 64, wide, Formula("constant", 64, 63)) == 2**64 - 1
    assert of("mulhi", 32, seven, negative) == 6
    assert of("select", 32, Formula("icmp slt", 1, 0, (negative, seven)), seven, negative) == 7
