"""The generated Vulkan binding: current, and laid out as the C compiler lays out the headers' structures."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import re
import shutil
import subprocess
import weakref
from pathlib import Path
from types import ModuleType

import pytest

from numba_vulkan.errors import VulkanDriverError
from numba_vulkan.runtime.binding import FunctionTable, read_list, vk
from numba_vulkan.runtime.binding.structure import Structure

ROOT = Path(__file__).resolve().parents[2]
HEADER = Path("/usr/include/vulkan/vulkan_core.h")
STRUCTURES = [
    s for s in vars(vk).values() if isinstance(s, type) and issubclass(s, Structure) and s is not Structure
]
CONSTANTS = {name: value for name, value in vars(vk).items() if name.startswith("VK_")}

needs_headers = pytest.mark.skipif(
    not HEADER.exists() or shutil.which("gcc") is None, reason="needs gcc and libvulkan-dev"
)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    pytest.importorskip("vulkan_object")
    path = ROOT / "tools" / "generate_vulkan_binding.py"
    spec = importlib.util.spec_from_file_location("generate_vulkan_binding", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_is_current(generator: ModuleType) -> None:
    assert generator.OUTPUT.read_text() == generator.generate()


def test_nothing_is_bound_that_nothing_uses(generator: ModuleType) -> None:
    # Benchmarks wait for fences, as the least that a launch can cost.
    folders = ROOT / "src", ROOT / "benchmarks"
    sources = [path for folder in folders for path in folder.rglob("*.py") if path != generator.OUTPUT]
    names = set(re.findall(r"\bvk\w+", "\n".join(path.read_text() for path in sources), re.IGNORECASE))
    assert [name for name in (*generator.COMMANDS, *generator.STRUCTURES) if name not in names] == []


@pytest.fixture(scope="module")
def c_facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """What gcc says of the headers: sizes, offsets and values by name."""
    header = HEADER.read_text()
    lines = [
        "#include <stddef.h>",
        "#include <stdio.h>",
        "#include <vulkan/vulkan_core.h>",
        "int main(void) {",
    ]
    for structure in STRUCTURES:
        name = structure.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in structure._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            lines.append(f'printf("{name}.{field}# %zu\\n", sizeof((({name} *)0)->{field}));')
    # The headers may be older than the registry: values that they do not have yet cannot be compared.
    for name in (name for name in CONSTANTS if name in header):
        lines.append(f'printf("{name} %lld\\n", (long long){name});')
    source = tmp_path_factory.mktemp("layout") / "layout.c"
    source.write_text("\n".join([*lines, "return 0;", "}"]))
    program = source.with_suffix("")
    subprocess.run(["gcc", "-o", str(program), str(source)], check=True, timeout=120)
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=60).stdout
    return {name: int(value) for name, value in (line.split() for line in output.splitlines())}


@needs_headers
@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda structure: structure.__name__)
def test_layout_is_that_of_c(structure: type[Structure], c_facts: dict[str, int]) -> None:
    name = structure.__name__
    assert ctypes.sizeof(structure) == c_facts[name]
    for field, *_ in structure._fields_:
        descriptor = getattr(structure, field)
        assert (field, descriptor.offset) == (field, c_facts[f"{name}.{field}"])
        assert (field, descriptor.size) == (field, c_facts[f"{name}.{field}#"])


@needs_headers
def test_constants_are_those_of_c(c_facts: dict[str, int]) -> None:
    known = {name: value for name, value in CONSTANTS.items() if name in c_facts}
    assert len(known) > 0.9 * len(CONSTANTS) > 100
    assert {name: value % 2**64 for name, value in known.items()} == {
        name: c_facts[name] % 2**64 for name in known
    }


@needs_headers
def test_structure_types_are_those_of_c() -> None:
    """The member of VkStructureType that C has with each value names the structure."""
    typed = [s for s in STRUCTURES if s.structure_type is not None]
    assert len(typed) >= 50
    rows = [row.strip() for row in HEADER.read_text().splitlines() if "VK_STRUCTURE_TYPE_" in row]
    for structure in typed:
        line = next(row for row in rows if row.endswith(f" = {structure.structure_type},"))
        words = line.split("=")[0].strip().removeprefix("VK_STRUCTURE_TYPE_").replace("_", "")
        expected = structure.__name__.removeprefix("Vk").upper()
        assert words == expected


def test_pointers_keep_what_they_point_to() -> None:
    names = (ctypes.c_char_p * 1)(b"VK_KHR_portability_subset")
    info = vk.VkDeviceCreateInfo(enabledExtensionCount=1, ppEnabledExtensionNames=names)
    assert info.sType == vk.VkDeviceCreateInfo.structure_type == 3
    assert info.ppEnabledExtensionNames == ctypes.addressof(names)
    assert names in info._held


def test_structures_hold_what_those_in_them_point_to() -> None:
    priorities = [(ctypes.c_float * 1)(0.5), (ctypes.c_float * 1)(0.25)]
    alive = [weakref.ref(each) for each in priorities]
    info = vk.VkDeviceCreateInfo(
        queueCreateInfoCount=2,
        pQueueCreateInfos=[vk.VkDeviceQueueCreateInfo(pQueuePriorities=each) for each in priorities],
    )
    entries = (ctypes.c_uint32 * 1)(7)
    alive.append(weakref.ref(entries))
    constants = vk.VkSpecializationInfo(pData=entries)
    stage = vk.VkPipelineShaderStageCreateInfo(pSpecializationInfo=constants)
    pipeline = vk.VkComputePipelineCreateInfo(stage=stage)
    del priorities, entries, constants, stage
    gc.collect()
    assert all(each() is not None for each in alive)
    queues = (vk.VkDeviceQueueCreateInfo * 2).from_address(info.pQueueCreateInfos)
    assert [ctypes.c_float.from_address(each.pQueuePriorities).value for each in queues] == [0.5, 0.25]
    del info, pipeline, queues
    gc.collect()
    assert all(each() is None for each in alive)


def test_arrays_of_structures_are_refused() -> None:
    queues = (vk.VkDeviceQueueCreateInfo * 1)(vk.VkDeviceQueueCreateInfo())
    with pytest.raises(AssertionError, match="pQueueCreateInfos takes a list of structures"):
        vk.VkDeviceCreateInfo(queueCreateInfoCount=1, pQueueCreateInfos=queues)


RETURNING = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def table_returning(result: int) -> FunctionTable:
    function = RETURNING(lambda _handle: result)
    table = FunctionTable(
        lambda _name: ctypes.cast(function, ctypes.c_void_p).value,
        {"vkDeviceWaitIdle": (ctypes.c_int32, ctypes.c_void_p)},
    )
    table.kept = function
    return table


@pytest.mark.parametrize("result", [vk.VK_SUCCESS, vk.VK_TIMEOUT, vk.VK_INCOMPLETE])
def test_results_that_are_no_errors_are_returned(result: int) -> None:
    assert table_returning(result).vkDeviceWaitIdle(None) == result


def test_errors_name_call_and_result() -> None:
    with pytest.raises(VulkanDriverError) as raised:
        table_returning(vk.VK_ERROR_DEVICE_LOST).vkDeviceWaitIdle(None)
    assert str(raised.value).startswith("vkDeviceWaitIdle failed: VK_ERROR_DEVICE_LOST (-4): ")
    assert raised.value.result == -4


@pytest.mark.parametrize("result", [vk.VK_ERROR_OUT_OF_HOST_MEMORY, vk.VK_ERROR_OUT_OF_DEVICE_MEMORY])
def test_out_of_memory_is_a_memory_error(result: int) -> None:
    with pytest.raises(MemoryError, match="vkDeviceWaitIdle failed: VK_ERROR_OUT_OF_"):
        table_returning(result).vkDeviceWaitIdle(None)


def test_missing_function() -> None:
    table = FunctionTable(lambda _name: None, {"vkDeviceWaitIdle": (ctypes.c_int32, ctypes.c_void_p)})
    with pytest.raises(VulkanDriverError, match="the Vulkan driver does not offer vkDeviceWaitIdle"):
        _ = table.vkDeviceWaitIdle
    with pytest.raises(AttributeError):
        _ = table.other


def test_functions_are_looked_up_once() -> None:
    table = table_returning(0)
    assert table.vkDeviceWaitIdle is table.vkDeviceWaitIdle


def test_read_list_asks_for_the_count_first() -> None:
    def enumerate_three(argument: str, count: object, elements: object) -> None:
        assert argument == "argument"
        if elements is None:
            ctypes.cast(count, ctypes.POINTER(ctypes.c_uint32))[0] = 3
        else:
            elements[0], elements[1], elements[2] = 5, 6, 7

    assert read_list(enumerate_three, ctypes.c_uint32, "argument") == [5, 6, 7]
