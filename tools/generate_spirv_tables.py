"""Write src/numba_vulkan/spirv/_tables.py from the SPIR-V grammar.

Usage: ``python tools/generate_spirv_tables.py [--check] [FOLDER]``. FOLDER holds ``spirv.core.grammar.json`` and
``extinst.glsl.std.450.grammar.json``; Debian's package ``spirv-headers`` installs them in the default folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HEADERS = Path("/usr/include/spirv/unified1")
TARGET = Path(__file__).resolve().parents[1] / "src/numba_vulkan/spirv/_tables.py"

Json = dict[str, Any]

# Kinds of operands, one letter each in the layouts.
LETTERS = {
    "IdResultType": "T",
    "IdResult": "R",
    "IdRef": "I",
    "IdScope": "I",
    "IdMemorySemantics": "I",
    "LiteralInteger": "L",
    "LiteralString": "S",
    "LiteralContextDependentNumber": "N",
    "LiteralExtInstInteger": "L",
    "PairLiteralIntegerIdRef": "C",
    "PairIdRefIdRef": "P",
    "AddressingModel": "a",
    "BuiltIn": "b",
    "Capability": "c",
    "Decoration": "d",
    "ExecutionModel": "e",
    "ExecutionMode": "o",
    "FPRoundingMode": "r",
    "FunctionControl": "f",
    "GroupOperation": "g",
    "LoopControl": "l",
    "MemoryAccess": "y",
    "MemoryModel": "m",
    "SelectionControl": "t",
    "SourceLanguage": "u",
    "StorageClass": "s",
}
CLASSES = {
    "Miscellaneous",
    "Debug",
    "Annotation",
    "Extension",
    "Mode-Setting",
    "Type-Declaration",
    "Constant-Creation",
    "Memory",
    "Function",
    "Conversion",
    "Composite",
    "Arithmetic",
    "Bit",
    "Relational_and_Logical",
    "Control-Flow",
    "Atomic",
    "Barrier",
    "Non-Uniform",
}
CAPABILITIES = """
    Shader Float16 Float64 Int64 Int16 Int8 Int64Atomics
    StorageBuffer16BitAccess StorageBuffer8BitAccess
    GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot GroupNonUniformShuffle
    GroupNonUniformShuffleRelative GroupNonUniformClustered GroupNonUniformQuad
    SignedZeroInfNanPreserve DenormPreserve DenormFlushToZero RoundingModeRTE RoundingModeRTZ
    PhysicalStorageBufferAddresses AtomicFloat32AddEXT AtomicFloat64AddEXT
""".split()
ENUMERANTS = {
    "AddressingModel": "Logical PhysicalStorageBuffer64",
    "BuiltIn": """NumWorkgroups WorkgroupSize WorkgroupId LocalInvocationId GlobalInvocationId
        LocalInvocationIndex SubgroupSize NumSubgroups SubgroupId SubgroupLocalInvocationId""",
    "Decoration": """SpecId Block ArrayStride BuiltIn Restrict Aliased Volatile Coherent NonWritable NonReadable
        Binding DescriptorSet Offset FPRoundingMode NoContraction AliasedPointer RestrictPointer""",
    "ExecutionModel": "GLCompute",
    "ExecutionMode": """LocalSize DenormPreserve DenormFlushToZero SignedZeroInfNanPreserve RoundingModeRTE
        RoundingModeRTZ""",
    "FPRoundingMode": "RTE RTZ",
    "FunctionControl": "None Inline DontInline Pure Const",
    "GroupOperation": "Reduce InclusiveScan ExclusiveScan ClusteredReduce",
    "LoopControl": "None Unroll DontUnroll",
    "MemoryAccess": "None Volatile Aligned Nontemporal",
    "MemoryModel": "GLSL450",
    "MemorySemantics": """Relaxed Acquire Release AcquireRelease UniformMemory SubgroupMemory WorkgroupMemory""",
    "Scope": "Device Workgroup Subgroup Invocation",
    "SelectionControl": "None Flatten DontFlatten",
    "SourceLanguage": "Unknown",
    "StorageClass": "Input Workgroup Private Function PushConstant StorageBuffer PhysicalStorageBuffer",
}
GLSL = """
    RoundEven Trunc FAbs SAbs FSign SSign Floor Ceil Fract Sin Cos Exp2 Log2 Sqrt InverseSqrt FMin UMin SMin FMax UMax
    SMax Fma FindILsb FindSMsb FindUMsb
""".split()
BIT_KINDS = {"FunctionControl", "LoopControl", "MemoryAccess", "SelectionControl"}
MEANINGS = {"Op": "Opcodes.", "Glsl": "Instructions of GLSL.std.450."}
WRAP = 110


def main() -> int:
    """Write the tables, or with ``--check`` say whether they are current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail when the file is not current"
    )
    parser.add_argument("folder", nargs="?", type=Path, default=HEADERS)
    options = parser.parse_args()
    text = generate(options.folder)
    if options.check:
        return 0 if TARGET.read_text() == text else 1
    TARGET.write_text(text)
    return 0


def generate(folder: Path) -> str:
    """Return the text of the module."""
    core: Json = json.loads((folder / "spirv.core.grammar.json").read_text())
    glsl: Json = json.loads((folder / "extinst.glsl.std.450.grammar.json").read_text())
    kinds = {kind["kind"]: kind for kind in core["operand_kinds"]}
    kinds["Capability"] = kinds["Capability"] | {
        "enumerants": [e for e in kinds["Capability"]["enumerants"] if e["enumerant"] in CAPABILITIES]
    }
    instructions = [i for i in core["instructions"] if is_kept(i)]
    classes = [("Op", {i["opname"][2:]: i["opcode"] for i in instructions})]
    classes.append(("Capability", numbers(kinds["Capability"])))
    classes += [(kind, numbers(pick(kinds[kind], names))) for kind, names in ENUMERANTS.items()]
    functions = [i for i in glsl["instructions"] if i["opname"] in GLSL]
    classes.append(("Glsl", {i["opname"]: i["opcode"] for i in functions}))
    parts = [HEADER.format(version=version_of(core))]
    parts += [class_text(name, members) for name, members in classes]
    parts += [
        table_text("LAYOUTS", "dict[int, str]", {i["opcode"]: layout(i) for i in instructions}),
        table_text(
            "OPCODE_CAPABILITIES", "dict[int, tuple[int, ...]]", opcode_capabilities(instructions, kinds)
        ),
        table_text("ENUMERANTS", "dict[str, dict[int, tuple[str, tuple[int, ...]]]]", enumerants(kinds)),
        table_text("BIT_KINDS", "frozenset[str]", frozenset(LETTERS[kind] for kind in BIT_KINDS)),
        table_text("GLSL_OPERANDS", "dict[int, int]", {i["opcode"]: len(i["operands"]) for i in functions}),
    ]
    return "\n\n".join(parts) + "\n"


HEADER = '''"""Numbers and layouts of SPIR-V; written by tools/generate_spirv_tables.py, do not edit.

Layouts are one letter per operand: T result type, R result, I id, L literal word, S string, N number of the result
type, C case (literal of the selector's width and id), P pair of ids; lower case: a value of an enumeration. ``?``
and ``*`` follow what is optional or repeated. `ENUMERANTS` gives for each enumeration and value the layout of its
parameters and the capabilities of which one is needed.
"""

# fmt: off
from __future__ import annotations

MAGIC = 0x07230203
GRAMMAR = "{version}"'''


def version_of(core: Json) -> str:
    """Return version and revision of a grammar."""
    return f"{core['major_version']}.{core['minor_version']} revision {core['revision']}"


def is_kept(instruction: Json) -> bool:
    """Whether a compute shader of this package could contain the instruction."""
    needed = instruction.get("capabilities", [])
    return (
        instruction["class"] in CLASSES
        and (not needed or any(name in CAPABILITIES for name in needed))
        and all(operand["kind"] in LETTERS for operand in instruction.get("operands", []))
    )


def layout(entry: Json, key: str = "operands") -> str:
    """Return the layout of an instruction or of an enumerant's parameters."""
    return "".join(LETTERS[o["kind"]] + o.get("quantifier", "") for o in entry.get(key, []))


def value_of(enumerant: Json) -> int:
    """Return the number of an enumerant; those of bit masks are hexadecimal strings."""
    value = enumerant["value"]
    return int(value, 16) if isinstance(value, str) else value


def pick(kind: Json, names: str) -> Json:
    """Return an enumeration reduced to ``names``; an unknown name is an error."""
    found = {e["enumerant"]: e for e in kind["enumerants"]}
    return kind | {
        "enumerants": [found[name] for name in sorted(names.split(), key=lambda n: value_of(found[n]))]
    }


def numbers(kind: Json) -> dict[str, int]:
    """Return the values of an enumeration by name."""
    # ``None`` is no name in Python.
    return {e["enumerant"].replace("None", "Default"): value_of(e) for e in kind["enumerants"]}


def kept_capabilities(entry: Json, kinds: dict[str, Json]) -> tuple[int, ...]:
    """Return the numbers of the capabilities of which an instruction or enumerant needs one."""
    known = numbers(kinds["Capability"])
    return tuple(known[name] for name in entry.get("capabilities", []) if name in known)


def opcode_capabilities(instructions: list[Json], kinds: dict[str, Json]) -> dict[int, tuple[int, ...]]:
    """Return the capabilities of the instructions that need one."""
    rows = {i["opcode"]: kept_capabilities(i, kinds) for i in instructions}
    return {opcode: needed for opcode, needed in rows.items() if needed}


def enumerants(kinds: dict[str, Json]) -> dict[str, dict[int, tuple[str, tuple[int, ...]]]]:
    """Return parameters and capabilities of each enumerant by the letter of its enumeration."""
    table: dict[str, dict[int, tuple[str, tuple[int, ...]]]] = {}
    for kind, names in (ENUMERANTS | {"Capability": " ".join(CAPABILITIES)}).items():
        if kind in LETTERS:
            needs = {} if kind == "Capability" else kinds
            rows = pick(kinds[kind], names)["enumerants"]
            table[LETTERS[kind]] = {
                value_of(e): (layout(e, "parameters"), kept_capabilities(e, kinds) if needs else ())
                for e in rows
            }
    return table


def class_text(name: str, members: dict[str, int]) -> str:
    """Return a class of integer constants."""
    lines = [f"class {name}:", f'    """{MEANINGS.get(name, f"Values of {name}.")}"""', ""]
    return "\n".join([*lines, *(f"    {member} = {value}" for member, value in members.items())])


def table_text(name: str, annotation: str, table: object) -> str:
    """Return the assignment of a literal, wrapped."""
    if isinstance(table, frozenset):
        return f"{name}: {annotation} = frozenset({sorted(table)!r})"
    assert isinstance(table, dict)
    return "\n".join([f"{name}: {annotation} = {{", *rows_text(table, "    "), "}"])


def rows_text(table: dict[Any, Any], indent: str) -> list[str]:
    """Return the lines of a dictionary's items, as many items a line as fit."""
    lines: list[str] = []
    line = indent
    for key, value in table.items():
        if isinstance(value, dict):
            lines += [f"{indent}{key!r}: {{", *rows_text(value, indent + "    "), f"{indent}}},"]
            continue
        item = f"{key!r}: {value!r}, "
        if len(line) + len(item) > WRAP:
            lines.append(line.rstrip())
            line = indent
        line += item
    return [*lines, line.rstrip()] if line.strip() else lines


if __name__ == "__main__":
    sys.exit(main())
