"""The check that every module passes before a driver sees it; it works from the bytes alone."""

from __future__ import annotations

from ..errors import SpirvCodegenError
from ..kernel import TargetProfile
from .check_blocks import read_blocks
from .check_capabilities import check_capabilities
from .check_decorations import check_decorations
from .check_flow import check_flow
from .check_sections import split
from .check_types import read_types
from .check_values import check_values
from .decode import Violation, decode

__all__ = ["check"]


def check(spirv: bytes, profile: TargetProfile, name: str = "") -> None:
    """Check a module against the rules of SPIR-V and of this package.

    It accepts less than the specification allows: only what kernels consist of.

    Parameters
    ----------
    spirv : bytes
        The module.
    profile : TargetProfile
        The device; a capability that it lacks or that is hidden is refused.
    name : str, optional
        The kernel, for the message.

    Raises
    ------
    SpirvCodegenError
        Naming the rule, the id and the kernel.
    """
    try:
        module = decode(spirv)
        sections = split(module)
        table = read_types(sections)
        table.add_values(sections.body)
        check_capabilities(module, sections, table, profile)
        decorations = check_decorations(sections, table)
        graph = read_blocks(sections, table)
        check_flow(graph)
        check_values(sections, table, decorations, graph)
    except Violation as violation:
        kernel = f" of kernel {name!r}" if name else ""
        raise SpirvCodegenError(
            f"the SPIR-V{kernel} breaks the rule '{violation.rule}': {violation.problem}; please report it"
        ) from violation
