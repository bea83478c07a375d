"""The examples of docs/limits.md are refused in the words that stand there, and what stands instead works."""

import re

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import check, function_of
from device.test_documented_language import PAGE, PARAMETERS, arguments, body_of
from unit.refused_kernels import INTERNAL

LIMITS = PAGE.with_name("limits.md")


class Configuration:
    """An object, of which kernels know nothing."""

    size = 2


def plain(v):
    return v + 1


@nv.jit
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


NAMES = {
    "TABLE": np.arange(3),
    "WEIGHTS": [1, 2],
    "factorial": factorial,
    "helper": nv.jit(plain),
    "plain": plain,
    "settings": Configuration(),
}
ROW = re.compile(r"^\|[^|]+\| `([^|]+)` \| `([^|]+)` \| `([^|]+)` \|$", re.MULTILINE)


@pytest.mark.parametrize(("refused", "says", "instead"), ROW.findall(LIMITS.read_text()))
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_limit(device, refused, says, instead):
    kernel = nv.jit(function_of(body_of(refused), PARAMETERS, **NAMES))
    with pytest.raises((NumbaError, ValueError, TypeError)) as caught:
        kernel[1, 1](*arguments())
    text = getattr(caught.value, "msg", str(caught.value))
    assert says in text
    assert not [name for name in INTERNAL if name in text]
    if "helper" in instead or "nv." in instead:  # Python cannot run it
        nv.jit(function_of(body_of(instead), PARAMETERS, **NAMES))[1, 1](*arguments())
    else:
        check(function_of(body_of(instead), PARAMETERS, **NAMES), arguments, rtol=1e-6)


def test_the_page_has_examples(device):
    assert len(ROW.findall(LIMITS.read_text())) > 40
