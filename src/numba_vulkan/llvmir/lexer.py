"""Tokens of LLVM assembly: splitting a line, names with their quotes, and the spellings of float constants."""

from __future__ import annotations

import re
import struct

from .types import FloatType

__all__ = ["COMMENT", "decode_string", "float_bits", "float_text", "quote_name", "split", "unquote"]

COMMENT = ";"

# Names keep their sigil and quotes; commas are left out, since no construct needs them to be told from another.
_TOKEN = re.compile(r'[%@!c]?"[^"]*"|;.*|[-+%@!#$.\w]+|[^\s,]')
_find_tokens = _TOKEN.findall
_BRACKETS = tuple((bracket, f" {bracket} ") for bracket in "()[]{}<>")


def split(line: str) -> list[str]:
    """Split a line into tokens; a comment is one token, the last."""
    if '"' in line or COMMENT in line or ":" in line:
        return _find_tokens(line)
    # Nearly all instructions; this takes half as long.
    line = line.replace(",", " ")
    for bracket, apart in _BRACKETS:
        if bracket in line:
            line = line.replace(bracket, apart)
    return line.split()


_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-$._")
_DIGITS = frozenset("0123456789")


def decode_string(text: str) -> bytes:
    r"""Return the bytes of what stands between the quotes of a string; ``\5C`` is a byte in hexadecimal."""
    if "\\" not in text:
        return text.encode()
    first, *escapes = text.split("\\")
    result = bytearray(first.encode())
    pending = iter(escapes)
    for piece in pending:
        if piece:
            result.append(int(piece[:2], 16))
            result += piece[2:].encode()
        else:
            # Two backslashes are one; the piece after them has no escape of its own.
            result += b"\\" + next(pending, "").encode()
    return bytes(result)


def unquote(token: str) -> str:
    """Return the name that a token stands for, without sigil and quotes."""
    name = token[1:] if token[0] in "%@" else token
    return decode_string(name[1:-1]).decode() if name[:1] == '"' else name


def quote_name(name: str) -> str:
    """Return a name as LLVM spells it after the sigil."""
    if name and name[0] not in _DIGITS and _NAME_CHARACTERS.issuperset(name):
        return name
    printable = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in name.encode())
    return '"' + "".join(printable) + '"'


# ---- floats: LLVM spells float and double in decimal or as the 16 hex digits of the double of equal value.
_FORMATS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}
_MANTISSA_BITS = {16: 10, 32: 23, 64: 52}
_DOUBLE_EXPONENT = 0x7FF << 52


def _narrow(bits: int, type: FloatType) -> int:
    """Return the bits in ``type`` of the double with these bits, which it must be able to represent."""
    if type.bits == 64:
        return bits
    if bits & _DOUBLE_EXPONENT == _DOUBLE_EXPONENT:
        mantissa = _MANTISSA_BITS[type.bits]
        exponent = (1 << (type.bits - 1 - mantissa)) - 1
        payload = (bits & ((1 << 52) - 1)) >> (52 - mantissa)
        return (bits >> 63) << (type.bits - 1) | exponent << mantissa | payload
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    float_format, int_format = _FORMATS[type.bits]
    packed = struct.pack(float_format, value)
    if struct.unpack(float_format, packed)[0] != value:
        raise ValueError(f"{value!r} is no {type}")
    return struct.unpack(int_format, packed)[0]


def float_bits(token: str, type: FloatType) -> int:
    """Return the bit pattern of a float constant.

    Raises
    ------
    ValueError
        If the token is no float constant, or ``type`` cannot hold the value exactly.
    """
    if token[:3] == "0xH":
        if type.bits != 16:
            raise ValueError(f"{token} is a half, not a {type}")
        return int(token[3:], 16)
    if token[:2] == "0x":
        return _narrow(int(token[2:], 16), type)
    if token[-1] not in _DIGITS and token[-1] != ".":
        raise ValueError(f"{token} is no {type}")
    return _narrow(struct.unpack("<Q", struct.pack("<d", float(token)))[0], type)


def float_text(bits: int, type: FloatType) -> str:
    """Return the spelling of a float constant that LLVM reads back as the same bits."""
    mantissa = _MANTISSA_BITS[type.bits]
    exponent = (1 << (type.bits - 1 - mantissa)) - 1
    if bits >> mantissa & exponent != exponent:
        float_format, int_format = _FORMATS[type.bits]
        text = repr(struct.unpack(float_format, struct.pack(int_format, bits))[0])
        # LLVM wants a point in front of the exponent.
        return text if "." in text else text.replace("e", ".0e")
    if type.bits == 16:
        return f"0xH{bits:04X}"
    payload = (bits & ((1 << mantissa) - 1)) << (52 - mantissa)
    return f"0x{(bits >> (type.bits - 1)) << 63 | _DOUBLE_EXPONENT | payload:016X}"
