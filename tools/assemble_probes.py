"""Write src/numba_vulkan/runtime/probe_modules/words.py from the assembly files beside it; needs spirv-as.

python3 tools/assemble_probes.py
"""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "src" / "numba_vulkan" / "runtime" / "probe_modules"
OUTPUT = FOLDER / "words.py"
WORDS_IN_LINE = 8
# spirv-as writes its own version here; any value is valid, and the file must not depend on the version.
GENERATOR_WORD = 2

HEADER = '''"""The modules of the probes: tools/assemble_probes.py made them from the files beside this one."""

from __future__ import annotations
'''


def assemble(source: Path) -> list[int]:
    """Return the words of an assembly file."""
    command = ["spirv-as", "--target-env", "vulkan1.2", "-o", "-", str(source)]
    code = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    words[GENERATOR_WORD] = 0
    return words


def text() -> str:
    """Return the text of the module: one tuple of words a file."""
    parts = [HEADER]
    for source in sorted(FOLDER.glob("*.spvasm")):
        words = [f"0x{word:08X}" for word in assemble(source)]
        lines = [words[i : i + WORDS_IN_LINE] for i in range(0, len(words), WORDS_IN_LINE)]
        body = "\n".join(f"    {', '.join(line)}," for line in lines)
        parts.append(f"# fmt: off\n{source.stem.upper()} = (\n{body}\n)\n# fmt: on\n")
    return "\n".join(parts)


if __name__ == "__main__":
    OUTPUT.write_text(text())
