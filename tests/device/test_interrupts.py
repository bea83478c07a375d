"""Ctrl-C during kernels that take minutes and amid launches, and processes that end while a kernel runs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import numba_vulkan as nv
from device.test_runtime_devices import run_python
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

# The kernel would run far beyond the time that a test is given.
PROGRAM = """
import os, signal, threading, time
import numpy as np
import numba_vulkan as nv

@nv.jit
def spin(x, steps):
    i = nv.global_id(0)
    if i < x.size:
        value = x[i]
        for _ in range(steps):
            value = value * np.float32(0.999) + np.float32(0.5)
        x[i] = value

host = np.zeros(64, np.float32)
x, other = nv.to_device(host), nv.to_device(np.arange(64))
stream = nv.stream()
spin.forall(64)(x, 1)
nv.synchronize()
MANY = 200_000_000_000

def interrupt_soon():
    def send():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send, daemon=True).start()
"""

WAITS = {
    "synchronize": "spin.forall(64)(x, MANY); interrupt_soon(); nv.synchronize()",
    "copy_to_host": "spin.forall(64)(x, MANY); interrupt_soon(); x.copy_to_host()",
    "numpy": "interrupt_soon(); spin.forall(64)(host, MANY)",
    "stream": "spin.forall(64, stream=stream)(x, MANY); interrupt_soon(); stream.synchronize()",
    "event": "event = nv.event(); spin.forall(64)(x, MANY); event.record(); interrupt_soon(); event.synchronize()",
    "launches": "interrupt_soon()\nfor _ in range(100_000):\n    spin.forall(64)(x, MANY)",
}


@pytest.mark.parametrize("wait", WAITS)
def test_interrupt_ends_the_wait_and_the_process(device: Device, wait: str) -> None:
    done = run_python(PROGRAM + WAITS[wait], device)
    assert done.stderr.rstrip().endswith("KeyboardInterrupt"), done.stderr
    assert done.stderr.count("Traceback") == 1, done.stderr
    assert done.returncode in (1, -2, 130)


def test_interrupt_that_is_caught(device: Device) -> None:
    code = (
        PROGRAM
        + """
spin.forall(64)(x, MANY)
interrupt_soon()
try:
    nv.synchronize()
except KeyboardInterrupt:
    print("interrupted", other.shape, repr(stream.query()))
del x, other
print("end")
"""
    )
    done = run_python(code, device)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted (64,) True\nend\n", "", 0)


@pytest.mark.parametrize("on_stream", [False, True])
def test_the_end_does_not_wait_for_ever(device: Device, on_stream: bool) -> None:
    launch = f"spin.forall(64{', stream=stream' if on_stream else ''})(x, MANY)\n"
    done = run_python(PROGRAM + launch + "print('end')\nraise SystemExit(3)", device)
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 3)


@pytest.mark.parametrize("native", "10")
def test_the_end_beside_daemon_threads(device: Device, native: str) -> None:
    """They go on launching, waiting and copying while the interpreter ends."""
    code = """
def work():
    mine = np.zeros(64, np.float32)
    on_device = nv.to_device(mine)
    while True:
        spin.forall(64)(on_device, 300)
        nv.synchronize()
        spin.forall(64)(mine, 3)
        nv.to_device(mine).copy_to_host()

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)

@nv.jit
def tell(x):
    print("device", x[0])

x.fill(3)
tell[1, 1](x)
"""
    done = run_python(PROGRAM + code, device, NUMBA_VULKAN_NATIVE=native)
    assert (done.stdout, done.stderr, done.returncode) == ("device 3.0\n", "", 0)


def test_interrupt_at_the_end(device: Device) -> None:
    done = run_python(PROGRAM + "spin.forall(64)(x, MANY)\ninterrupt_soon()\nprint('end')", device)
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


def test_functions_registered_for_the_end(device: Device) -> None:
    """They run after the wait, if registered before the first device was opened, and may find no device any more."""
    code = (
        "import atexit\n"
        "def late():\n"
        "    try:\n        nv.get_device().synchronize()\n"
        "    except nv.VulkanError as error:\n        print(error)\n"
        "atexit.register(late)\n" + PROGRAM + "spin.forall(64)(x, MANY)\n"
    )
    done = run_python(code, device)
    assert done.stdout.startswith("the interpreter is ending while a device is still at work"), done
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_end_waits_for_short_work(device: Device) -> None:
    done: subprocess.CompletedProcess[str] = run_python(
        PROGRAM + "spin.forall(64)(x, 100_000)\nimport atexit\n"
        "atexit.register(lambda: print(nv.get_device().logical.functions.usable))",
        device,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


@nv.jit
def slow_step(x):
    i = nv.global_id(0)
    if i < x.size:
        value = x[i]
        for _ in range(20_000):
            value = value * np.float32(0.5) + x[i] * np.float32(0.5)
        x[i] = value + np.float32(1)


class Interrupting:
    """A Vulkan function whose n-th call is interrupted: Python raises what comes with a call when it is over."""

    def __init__(self, device: Device, monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
        self.left = number
        self._function = getattr(device.logical.functions, name)
        monkeypatch.setattr(device.logical.functions, name, self)

    def __call__(self, *arguments: object) -> int:
        result = self._function(*arguments)
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return result


CALLS = ["vkCmdPipelineBarrier", "vkEndCommandBuffer", "vkQueueSubmit"]


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("on_stream", [False, True])
def test_interrupt_of_a_launch(
    device: Device, monkeypatch: pytest.MonkeyPatch, name: str, number: int, on_stream: bool
) -> None:
    """What was started is waited for by what comes after it; launches before it are not lost."""
    # Python raises no interrupts amid native code.
    monkeypatch.setattr("numba_vulkan.dispatcher.configured.launcher", lambda: None)
    slow_step._configured.clear()
    x = nv.to_device(np.zeros(64, np.float32))
    launch = slow_step.forall(64, stream=nv.stream() if on_stream else None)
    launch(x)
    nv.synchronize()
    x.fill(0)
    interrupting = Interrupting(device, monkeypatch, name, number)
    done = []

    def launch_often() -> None:
        for _ in range(10):
            launch(x)
            done.append(True)
        nv.synchronize()

    with pytest.raises(KeyboardInterrupt):
        launch_often()
    values = set(x.copy_to_host())
    assert interrupting.left <= 0
    assert values in ({len(done)}, {len(done) + 1})
    launch(x)
    slow_step.forall(64)(x)
    assert set(x.copy_to_host()) == {value + 2 for value in values}
