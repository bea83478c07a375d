"""The first program of each page runs as it stands there, and computes what it is said to compute."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def first_program(page):
    """Run the first Python program of a page and return its variables."""
    (program,) = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)[:1]
    variables = {}
    exec(compile(program, page, "exec"), variables)
    return variables


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_saxpy(device, page):
    assert (first_program(page)["y"] == 2 * np.arange(1000) + 1).all()


def test_total(device):
    found = first_program("docs/cooperation.md")
    np.testing.assert_allclose(found["out"], found["x"].sum(dtype=np.float64), rtol=1e-5)
