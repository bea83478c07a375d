"""How the installer of test devices reads the package sources of a machine."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "tools" / "install_devices.py"
SUITE = "bookworm-backports"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("install_devices", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def etc_apt(tmp_path):
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_deb822_source_keeps_mirror_and_key(tool, etc_apt):
    (etc_apt / "sources.list.d" / "a.sources").write_text(
        "Types: deb deb-src\n# a note\nURIs: https://mirror.example/debian\nSuites: bookworm bookworm-updates\n"
        "Components: main contrib\nSigned-By:\n -----BEGIN\n .\n xyz\n\n"
        "Types: deb\nURIs: https://other.example\nSuites: bookworm-security\nComponents: main\n"
    )
    assert tool.backports_sources(etc_apt, SUITE) == {
        "backports.sources": "Types: deb\nURIs: https://mirror.example/debian\nSuites: bookworm-backports\n"
        "Components: main\nSigned-By: \n -----BEGIN\n .\n xyz\n"
    }


def test_one_line_source_keeps_options(tool, etc_apt):
    (etc_apt / "sources.list").write_text(
        "# deb https://commented.example bookworm main\ndeb-src https://mirror.example bookworm main\n"
        "deb [arch=amd64 signed-by=/k.gpg] https://mirror.example/debian bookworm main contrib\n"
    )
    assert tool.backports_sources(etc_apt, SUITE) == {
        "backports.list": "deb [arch=amd64 signed-by=/k.gpg] https://mirror.example/debian bookworm-backports main\n"
    }


def test_disabled_and_foreign_sources_do_not_count(tool, etc_apt):
    (etc_apt / "sources.list").write_text("deb https://vendor.example stable main\n")
    (etc_apt / "sources.list.d" / "a.sources").write_text(
        "Types: deb\nEnabled: no\nURIs: https://mirror.example\nSuites: bookworm\nComponents: main\n"
    )
    with pytest.raises(tool.InstallError, match="no apt source of this machine offers the suite 'bookworm'"):
        tool.backports_sources(etc_apt, SUITE)


def test_library_packages_of_a_depends_field(tool):
    depends = (
        "libc6 (>= 2.34), libdrm2:any (>= 2.4.46), python3 | python3-minimal, libx11-6 | libx11-old, zlib1g"
    )
    assert tool.library_packages(depends) == ["libc6", "libdrm2", "libx11-6", "zlib1g"]


def test_user_without_root_is_told_the_command(tool, monkeypatch):
    monkeypatch.setattr(tool, "is_root", lambda: False)
    with pytest.raises(tool.InstallError, match="run as root: apt-get update && apt-get install spirv-tools"):
        tool.Apt().install(["spirv-tools"])


def test_other_system_is_told_what_is_missing(tool, monkeypatch):
    monkeypatch.setattr(tool, "missing_packages", lambda mode: ["libvulkan1"])
    with pytest.raises(tool.InstallError, match=r"Vulkan loader.*Debian's names .*: libvulkan1\."):
        tool.refuse_elsewhere("demo")
