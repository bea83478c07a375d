"""Compiles the twins with glslangValidator: each ``<name>.<precision>.glsl`` has a function ``twin``."""

from __future__ import annotations

import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
TEMPLATE = """#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(push_constant) uniform Parameters {{ {type} step; int calls; int size; }};
layout(set = 0, binding = 1) readonly buffer X {{ {type} x[]; }};
layout(set = 0, binding = 2) buffer Out {{ {type} result[]; }};
{source}
void main() {{
    uint i = gl_GlobalInvocationID.x;
    if (i < size) {{
        precise {type} value = x[i];
        precise {type} total = value;
        for (int k = 0; k < calls; k++) {{
            value = value + step;
            total = total + twin(value);
        }}
        result[i] = total;
    }}
}}
"""


def main() -> None:
    for file in sorted(FOLDER.glob("*.glsl")):
        kind = "double" if ".f64." in file.name else "float"
        text = TEMPLATE.format(type=kind, source=file.read_text())
        target = file.with_suffix(".spv")
        command = [
            "glslangValidator",
            "--stdin",
            "-S",
            "comp",
            "--target-env",
            "vulkan1.2",
            "-o",
            str(target),
        ]
        done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"{file.name}: {done.stdout}")
        subprocess.run(["spirv-opt", "-O", str(target), "-o", str(target)], check=True)
        subprocess.run(["spirv-val", "--target-env", "vulkan1.2", str(target)], check=True)


if __name__ == "__main__":
    main()
