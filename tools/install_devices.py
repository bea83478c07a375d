"""Install the Vulkan devices that the demo and the tests run on, and write the files that select them.

    python3 tools/install_devices.py demo     loader and a software device (llvmpipe)
    python3 tools/install_devices.py test     also SwiftShader, llvmpipe of Mesa 22.3, SPIR-V tools, validation layers
    python3 tools/install_devices.py list     print the devices that the loader finds in this environment

On Debian as root everything missing is installed. Otherwise the script says what is missing and how to get it.
Drivers are only unpacked, below .devices/, so that the machine's own Vulkan drivers stay as they are:

    .devices/env.sh         selects llvmpipe (Mesa 25 or later) and SwiftShader: the devices of the tests
    .devices/env-mesa22.sh  selects llvmpipe of Mesa 22.3 alone
    .devices/env-demo.sh    selects llvmpipe, or nothing where the machine has a GPU of its own

Only the standard library is used: the script runs before there is a virtual environment.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEVICES = ROOT / ".devices"
ICD_DIRECTORIES = (Path("/usr/share/vulkan/icd.d"), Path("/etc/vulkan/icd.d"))
# A pool directory of unpacked drivers is complete when this file is in it; its text is the package version.
COMPLETE = ".complete"
CPU_DEVICE_TYPE = 4


class InstallError(Exception):
    """Something is missing that this script cannot install; the text is the remedy."""


@dataclass(frozen=True)
class UnpackedDriver:
    """A driver taken out of a Debian package and unpacked below .devices, without being installed."""

    folder: str
    package: str
    wanted: re.Pattern[str]
    library_glob: str
    suite: str = ""
    is_backport: bool = False

    @property
    def directory(self) -> Path:
        return DEVICES / self.folder

    @property
    def icd_path(self) -> Path:
        return self.directory / "icd.json"

    def library(self) -> Path | None:
        """Path of the driver's shared library, None when it is not unpacked completely."""
        if not (self.directory / COMPLETE).exists():
            return None
        return next(iter(sorted(self.directory.glob(self.library_glob))), None)


LLVMPIPE_FILES = re.compile(
    r"\./usr/lib/[^/]+/(libvulkan_lvp|libgallium).*\.so|\./usr/share/vulkan/icd\.d/lvp_icd.*"
)
SWIFTSHADER_FILES = re.compile(r"\./usr/lib/chromium/(libvk_swiftshader\.so|vk_swiftshader_icd\.json)")
MESA25 = UnpackedDriver(
    "mesa25", "mesa-vulkan-drivers", LLVMPIPE_FILES, "usr/lib/*/libvulkan_lvp.so", "bookworm-backports", True
)
MESA22 = UnpackedDriver(
    "mesa22", "mesa-vulkan-drivers", LLVMPIPE_FILES, "usr/lib/*/libvulkan_lvp.so", "bookworm"
)
SWIFTSHADER = UnpackedDriver(
    "swiftshader", "chromium-common", SWIFTSHADER_FILES, "usr/lib/chromium/libvk_swiftshader.so"
)

LOADER_PACKAGES = {"libvulkan1": "libvulkan.so.1"}
# Package and a file that is there when it is installed: cheaper than asking dpkg, and right for other sources too.
TEST_PACKAGES = {
    "spirv-tools": "/usr/bin/spirv-val",
    "glslang-tools": "/usr/bin/glslangValidator",
    "spirv-headers": "/usr/include/spirv/unified1/spirv.core.grammar.json",
    "libvulkan-dev": "/usr/include/vulkan/vulkan_core.h",
    "vulkan-validationlayers": "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json",
}


# ---------------------------------------------------------------- this machine


def os_release() -> dict[str, str]:
    path = Path("/etc/os-release")
    lines = path.read_text().splitlines() if path.exists() else []
    return {key: value.strip('"') for key, _, value in (line.partition("=") for line in lines)}


def is_debian() -> bool:
    return os_release().get("ID") == "debian" and shutil.which("apt-get") is not None


def is_bookworm() -> bool:
    return is_debian() and os_release().get("VERSION_CODENAME") == "bookworm"


def is_root() -> bool:
    return os.geteuid() == 0


def can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_libraries(library: Path) -> list[str]:
    """Names of the shared libraries that `library` needs and the dynamic linker does not find."""
    listing = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=False).stdout
    return re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE)


def installed_llvmpipe() -> Path | None:
    """ICD file of the llvmpipe that the system itself has installed, if any."""
    found = (icd for directory in ICD_DIRECTORIES for icd in sorted(directory.glob("lvp_icd*.json")))
    return next(found, None)


# ---------------------------------------------------------------- apt


def say(text: str) -> None:
    print(f"install_devices: {text}", flush=True)


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a command and return its output; a failure shows the end of the output and names the command."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        raise InstallError(f"`{' '.join(command)}` failed:\n{done.stdout[-2000:]}")
    return done.stdout


class Apt:
    """apt-get with the machine's sources, and with a private copy of them for the backports suite."""

    # apt drops to a user of its own for downloads, which may not write below a private checkout.
    OPTIONS = ("-q", "-y", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3")

    def __init__(self) -> None:
        self._is_updated = False
        self._backports_options: tuple[str, ...] | None = None

    def get(self, *arguments: str, cwd: Path | None = None) -> str:
        if not self._is_updated and is_root():
            say("refreshing the package lists")
            run("apt-get", *self.OPTIONS, "update")
            self._is_updated = True
        return run("apt-get", *self.OPTIONS, *arguments, cwd=cwd)

    def install(self, packages: list[str]) -> None:
        if packages and not is_root():
            raise InstallError(f"run as root: apt-get update && apt-get install {' '.join(packages)}")
        if packages:
            say(f"installing {' '.join(packages)}")
            self.get("install", "--no-install-recommends", *packages)

    def download(self, driver: UnpackedDriver, directory: Path) -> Path:
        """Download the package of `driver` into `directory` and return its path."""
        name = f"{driver.package}/{driver.suite}" if driver.suite else driver.package
        if driver.is_backport:
            run("apt-get", *self.OPTIONS, *self._backports(driver.suite), "download", name, cwd=directory)
        else:
            self.get("download", name, cwd=directory)
        return next(directory.glob("*.deb"))

    def _backports(self, suite: str) -> tuple[str, ...]:
        """Options that make apt-get see one more suite, of the same mirror, and leave the system's lists alone."""
        if self._backports_options is None:
            say(f"reading the package list of {suite}")
            state = DEVICES / "apt"
            shutil.rmtree(state, ignore_errors=True)
            (state / "lists" / "partial").mkdir(parents=True)
            (state / "cache" / "archives" / "partial").mkdir(parents=True)
            (state / "sources").mkdir()
            for name, text in backports_sources(Path("/etc/apt"), suite).items():
                (state / "sources" / name).write_text(text)
            options = {
                "Dir::Etc::SourceList": "/dev/null",
                "Dir::Etc::SourceParts": state / "sources",
                "Dir::State::Lists": state / "lists",
                "Dir::Cache": state / "cache",
                "Acquire::Languages": "none",
            }
            self._backports_options = tuple(
                part for key, value in options.items() for part in ("-o", f"{key}={value}")
            )
            run("apt-get", *self.OPTIONS, *self._backports_options, "update")
        return self._backports_options


def backports_sources(etc_apt: Path, suite: str) -> dict[str, str]:
    """Source files for `suite`, made from the machine's entry for the release it extends, as {file name: text}."""
    release = suite.removesuffix("-backports")
    parts = sorted((etc_apt / "sources.list.d").glob("*"))
    for path in [etc_apt / "sources.list", *parts]:
        text = path.read_text() if path.is_file() else ""
        if path.suffix == ".sources":
            for stanza in re.split(r"\n\s*\n", text):
                found = rewritten_stanza(stanza, release, suite)
                if found:
                    return {"backports.sources": found}
        elif path.suffix == ".list":
            for line in text.splitlines():
                found = rewritten_line(line, release, suite)
                if found:
                    return {"backports.list": found}
    raise InstallError(
        f"no apt source of this machine offers the suite '{release}'; add it and run this again"
    )


def rewritten_stanza(stanza: str, release: str, suite: str) -> str | None:
    """A deb822 stanza for `release` with its suites replaced by `suite`; None if it is about something else."""
    fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)", stanza, re.MULTILINE))
    lower = {key.lower(): value for key, value in fields.items()}
    is_binary = (
        "deb" in lower.get("types", "").split() and lower.get("enabled", "yes").strip().lower() != "no"
    )
    if not is_binary or release not in lower.get("suites", "").split():
        return None
    replaced = {"types": "deb", "suites": suite, "components": "main"}
    return "".join(f"{key}: {replaced.get(key.lower(), value)}\n" for key, value in fields.items())


def rewritten_line(line: str, release: str, suite: str) -> str | None:
    """A one-line source for `release` with its suite replaced by `suite`; None if it is about something else."""
    match = re.match(r"\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s", line + " ")
    if match is None or match[3] != release:
        return None
    return f"deb {match[1] or ''}{match[2]} {suite} main\n"


# ---------------------------------------------------------------- drivers


def unpack(driver: UnpackedDriver, apt: Apt) -> None:
    """Take the files of a driver out of its package, and install the libraries that it needs."""
    if driver.library() is None:
        say(f"unpacking {driver.package} into .devices/{driver.folder}")
        shutil.rmtree(driver.directory, ignore_errors=True)
        driver.directory.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=DEVICES) as folder:
            package = apt.download(driver, Path(folder))
            extract(package, driver)
            (driver.directory / "depends").write_text(run("dpkg-deb", "--field", str(package), "Depends"))
            (driver.directory / COMPLETE).write_text(run("dpkg-deb", "--field", str(package), "Version"))
    library = driver.library()
    if library is None:
        raise InstallError(f"package {driver.package} holds no {driver.library_glob}: its layout has changed")
    if missing_libraries(library):
        apt.install(library_packages((driver.directory / "depends").read_text()))
    absent = missing_libraries(library)
    if absent:
        raise InstallError(
            f"{library} needs {', '.join(absent)}, which no package that it depends on provides"
        )
    write_icd(driver, library)


def extract(package: Path, driver: UnpackedDriver) -> None:
    """Write the wanted files of a Debian package; the whole of chromium-common would be several hundred MB."""
    with (
        subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as stream,
        tarfile.open(fileobj=stream.stdout, mode="r|") as archive,
    ):
        for member in archive:
            if member.isfile() and driver.wanted.fullmatch(member.name):
                archive.extract(member, driver.directory)


def library_packages(depends: str) -> list[str]:
    """Names of the library packages in a Depends field: first alternative of each, versions dropped."""
    names = [re.split(r"[\s(|:]", entry.strip())[0] for entry in depends.split(",")]
    return [name for name in names if name.startswith("lib") or name == "zlib1g"]


def write_icd(driver: UnpackedDriver, library: Path) -> None:
    original = next(path for path in sorted(driver.directory.rglob("*icd*.json")) if path != driver.icd_path)
    manifest = json.loads(original.read_text())
    manifest["ICD"]["library_path"] = str(library)
    driver.icd_path.write_text(json.dumps(manifest, indent=4) + "\n")


# ---------------------------------------------------------------- what the loader finds


def list_devices() -> list[tuple[str, int]]:
    """Names and types of the devices that the Vulkan loader finds in this process."""
    vulkan = ctypes.CDLL("libvulkan.so.1")
    pointer_bits = ctypes.sizeof(ctypes.c_void_p)
    # VkApplicationInfo: sType, pNext, name, version, engine, version, apiVersion, with C's alignment.
    application = ctypes.create_string_buffer(48)
    ctypes.c_uint32.from_buffer(application, 44).value = 1 << 22 | 2 << 12
    create_info = ctypes.create_string_buffer(64)
    ctypes.c_uint32.from_buffer(create_info, 0).value = 1
    ctypes.c_void_p.from_buffer(create_info, 24).value = ctypes.addressof(application)
    instance = ctypes.c_void_p()
    if pointer_bits != 8 or vulkan.vkCreateInstance(create_info, None, ctypes.byref(instance)) != 0:
        return []
    count = ctypes.c_uint32()
    vulkan.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), None)
    handles = (ctypes.c_void_p * count.value)()
    vulkan.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), handles)
    found = []
    for handle in handles:
        # VkPhysicalDeviceProperties: four 32-bit words, the type, then the name; the whole is below 1 KiB.
        properties = ctypes.create_string_buffer(4096)
        vulkan.vkGetPhysicalDeviceProperties(ctypes.c_void_p(handle), properties)
        name = properties.raw[20:276].split(b"\0", 1)[0].decode()
        found.append((name, int.from_bytes(properties.raw[16:20], sys.byteorder)))
    vulkan.vkDestroyInstance(instance, None)
    return found


def devices_under(variables: dict[str, str]) -> list[tuple[str, int]]:
    """Devices found with `variables` set, asked in a process of its own: a faulty driver may crash it."""
    environment = {**os.environ, **variables}
    command = [sys.executable, __file__, "list"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    pairs = (line.rpartition("\t") for line in done.stdout.splitlines())
    return [(name, int(kind)) for name, _, kind in pairs if kind.isdigit()]


def select(*icd_files: Path) -> dict[str, str]:
    """Variables that make a loader, old or new, see the drivers named and no other."""
    paths = os.pathsep.join(str(path) for path in icd_files)
    return {"VK_DRIVER_FILES": paths, "VK_ICD_FILENAMES": paths}


def write_environment(name: str, variables: dict[str, str], expected: tuple[str, ...]) -> None:
    """Write .devices/<name>, after the devices it promises have been seen."""
    found = [device for device, _ in devices_under(variables)]
    for word in expected:
        if not any(word in device.lower() for device in found):
            raise InstallError(
                f"the loader does not list {word} with {variables} (it lists {found or 'nothing'})"
            )
    lines = [f"export {key}='{value}'\n" for key, value in variables.items()]
    (DEVICES / name).write_text("".join(lines) or "# The devices of this machine are used as they are.\n")
    say(f".devices/{name}: {', '.join(found)}")


# ---------------------------------------------------------------- the two modes


def missing_packages(mode: str) -> list[str]:
    missing = [package for package, library in LOADER_PACKAGES.items() if not can_load(library)]
    if mode == "test":
        missing += [package for package, path in TEST_PACKAGES.items() if not Path(path).exists()]
    return missing


def install_llvmpipe(apt: Apt) -> Path:
    """Return the ICD file of an llvmpipe of Mesa 25 or later, unpacked or installed first if need be."""
    if is_bookworm():
        unpack(MESA25, apt)
        return MESA25.icd_path
    if installed_llvmpipe() is None:
        apt.install(["mesa-vulkan-drivers"])
    icd = installed_llvmpipe()
    if icd is None:
        raise InstallError(
            "mesa-vulkan-drivers is installed but has no lvp_icd*.json: llvmpipe is missing from it"
        )
    return icd


def refuse_elsewhere(mode: str) -> None:
    """On a system other than Debian, say what is missing; return if nothing is."""
    missing = missing_packages(mode)
    if mode == "demo" and not missing and devices_under({}):
        return
    what = ["a Vulkan loader (libvulkan.so.1)", "a driver for the GPU, or llvmpipe of Mesa 25 or later"]
    if mode == "test":
        what += [
            "llvmpipe and SwiftShader, named by VK_DRIVER_FILES",
            "spirv-tools",
            "glslang",
            "spirv-headers",
        ]
        what += ["the Vulkan headers", "the Khronos validation layer"]
        names = {name.lower() for name, _ in devices_under({})}
        has_both = all(any(word in name for name in names) for word in ("llvmpipe", "swiftshader"))
        if not missing and has_both:
            return
    absent = f" Debian's names of what was not found: {' '.join(missing)}." if missing else ""
    raise InstallError(
        f"this needs {'; '.join(what)}.{absent} Only Debian is set up automatically: "
        "install them with the system's package manager, then run this again."
    )


def prepare_demo(apt: Apt) -> None:
    apt.install(missing_packages("demo"))
    has_gpu = any(kind != CPU_DEVICE_TYPE for _, kind in devices_under({}))
    if has_gpu:
        write_environment("env-demo.sh", {}, ())
    else:
        write_environment("env-demo.sh", select(install_llvmpipe(apt)), ("llvmpipe",))


def prepare_test(apt: Apt) -> None:
    apt.install(missing_packages("test"))
    llvmpipe = install_llvmpipe(apt)
    unpack(SWIFTSHADER, apt)
    if is_bookworm():
        unpack(MESA22, apt)
        write_environment("env-mesa22.sh", select(MESA22.icd_path), ("llvmpipe",))
    write_environment("env.sh", select(llvmpipe, SWIFTSHADER.icd_path), ("llvmpipe", "swiftshader"))


def main(arguments: list[str]) -> int:
    if arguments == ["list"]:
        for name, kind in list_devices():
            print(f"{name}\t{kind}")
        return 0
    if arguments not in (["demo"], ["test"]):
        print(__doc__)
        return 2
    mode = arguments[0]
    started = time.monotonic()
    DEVICES.mkdir(exist_ok=True)
    try:
        with (DEVICES / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if is_debian():
                prepare = prepare_demo if mode == "demo" else prepare_test
                prepare(Apt())
            else:
                refuse_elsewhere(mode)
                name = "env-demo.sh" if mode == "demo" else "env.sh"
                write_environment(name, {}, ())
    except InstallError as error:
        print(f"install_devices: {error}", file=sys.stderr)
        return 1
    say(f"ready after {time.monotonic() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
