"""Detection: recorded output of the vendors' tools, /sys as fixtures, and tools that misbehave."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp import tables
from rewarp.errors import UsageError
from rewarp.host import (
    Backend,
    Device,
    Fact,
    Host,
    Level,
    ToolState,
    TorchState,
    abilities,
    amd,
    gaudi,
    intel,
    nvidia,
    specs,
    tools,
    torch_build,
)
from rewarp.host import machine as machines
from rewarp.host.facts import Machine
from rewarp.tables.gpus import all_specs, specs_of_name
from rewarp.toolchain import Toolchain

DATA = Path(__file__).parent.parent / "data" / "doctor"


def sample(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def value(fact: Fact[object] | None) -> object:
    return None if fact is None else fact.value


class Box:
    """A made-up machine: its own root, its own PATH."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.bin = folder / "bin"
        self.root.mkdir()
        self.bin.mkdir()
        self.environ = {"PATH": str(self.bin), "HOME": str(folder)}
        self.timeout = 120.0

    def file(self, path: str, text: str = "") -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def tool(self, name: str, script: str, folder: Path | None = None) -> None:
        target = (folder or self.bin) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("#!/bin/sh\n" + script + "\n", encoding="utf-8")
        target.chmod(target.stat().st_mode | stat.S_IXUSR)

    def prints(self, name: str, file: str) -> None:
        """A tool that prints a recorded answer whatever it is asked."""
        self.tool(name, f"/bin/cat {DATA / file}")

    def kfd(self, node: int, bank: str = "", **properties: int) -> None:
        base = f"/sys/class/kfd/kfd/topology/nodes/{node}"
        self.file(f"{base}/properties", "".join(f"{key} {number}\n" for key, number in properties.items()))
        if bank:
            self.file(f"{base}/mem_banks/0/properties", bank)

    @property
    def host(self) -> Host:
        return Host(root=self.root, environ=self.environ, tool_timeout=self.timeout, torch_timeout=120.0)

    def examine(self, *, ask_torch: bool = False) -> Machine:
        return machines.examine(self.host, ask_torch=ask_torch)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


MI300X_KFD = {
    "simd_count": 1216,
    "simd_per_cu": 4,
    "wave_front_size": 64,
    "gfx_target_version": 90402,
    "location_id": 1280,
    "domain": 0,
    "drm_render_minor": 128,
}
HBM_192 = "heap_type 1\nsize_in_bytes 206141652992\nflags 0\nwidth 8192\nmem_clk_max 1300\n"


# --- NVIDIA ------------------------------------------------------------------------------


def test_nvidia_query() -> None:
    first, second = nvidia.parse_query(sample("nvidia_smi_h200.csv"))
    assert (first.index, second.index) == (0, 1)
    assert first.name == Fact("NVIDIA H200", "nvidia-smi")
    assert value(first.arch) == "sm_90"
    assert value(first.memory_bytes) == 143771 * 2**20
    assert value(first.bus) == "00000000:0F:00.0"
    assert nvidia.parse_driver(sample("nvidia_smi_h200.csv")) == "580.159.04"


def test_nvidia_unknown_memory_is_none() -> None:
    spark = nvidia.parse_query(sample("nvidia_smi_mixed.csv"))[4]
    assert value(spark.name) == "NVIDIA GB10"
    assert spark.memory_bytes is None


@pytest.mark.parametrize("text", ["", "No devices were found\n", "0, half a line\n", "index, name\n", "\x00,,,,,,\n"])
def test_nvidia_query_without_devices(text: str) -> None:
    assert nvidia.parse_query(text) == []


def test_nvidia_machine(box: Box) -> None:
    query = DATA / "nvidia_smi_h200.csv"
    box.tool(
        "nvidia-smi",
        f'case "$1" in --query*) cat {query};; --version) exit 1;; *) cat {DATA / "nvidia_smi.txt"};; esac',
    )
    box.environ["PATH"] += ":/bin:/usr/bin"
    platform = nvidia.examine(box.host)
    assert len(platform.devices) == 2
    assert platform.versions["driver"] == Fact("580.159.04", "nvidia-smi")
    assert platform.versions["newest CUDA the driver serves"].value == "13.0"
    assert platform.notes == ()


def test_old_nvidia_smi_is_asked_without_compute_cap(box: Box) -> None:
    box.tool(
        "nvidia-smi",
        'case "$1" in *compute_cap*) echo \'Field "compute_cap" is not a valid field to query.\'; exit 2;; '
        '--query*) echo "0, Tesla K80, GPU-11111111-2222-3333-4444-555555555555, 00000000:00:1E.0, 11441, 418.87";; esac',
    )
    (device,) = nvidia.examine(box.host).devices
    assert value(device.name) == "Tesla K80"
    assert device.arch is None


def test_driver_not_loaded_is_a_note(box: Box) -> None:
    said = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    box.tool("nvidia-smi", f'echo "{said}"; exit 9')
    platform = nvidia.examine(box.host)
    assert platform.devices == ()
    (note,) = platform.notes
    assert "communicate" in note.message
    assert "exit code 9" in note.message


def test_nvidia_from_proc(box: Box) -> None:
    box.file("/proc/driver/nvidia/version", sample("proc_nvidia_version.txt"))
    box.file(
        "/proc/driver/nvidia/gpus/0000:0f:00.0/information",
        "Model: \t\t NVIDIA H200\nIRQ:   \t\t 95\nGPU UUID: \t GPU-????????-????\nBus Location: \t 0000:0f:00.0\n",
    )
    platform = nvidia.examine(box.host)
    assert platform.versions["driver"] == Fact("580.159.04", "/proc/driver/nvidia/version")
    (device,) = platform.devices
    assert value(device.name) == "NVIDIA H200"
    assert device.uuid is None


# --- AMD ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "gfx"),
    [(90402, "gfx942"), (90010, "gfx90a"), (90500, "gfx950"), (90006, "gfx906"), (110001, "gfx1101"), (110501, "gfx1151"),
     (100306, "gfx1036"), (120001, "gfx1201")],
)  # fmt: skip
def test_gfx_names(number: int, gfx: str) -> None:
    assert amd.gfx_of_version(number) == gfx


def test_rocminfo() -> None:
    first, second = amd.parse_rocminfo(sample("rocminfo_mi300x.txt"))
    assert first.name == Fact("AMD Instinct MI300X", "rocminfo")
    assert value(first.arch) == "gfx942"
    assert value(first.compute_units) == 304
    assert value(first.wave_size) == 64
    assert value(first.memory_bytes) == 201310208 * 1024
    assert (value(first.node), value(second.node)) == (2, 3)
    assert value(first.uuid) == "GPU-8af705259683161c"


def test_rocminfo_without_trailing_spaces_and_names() -> None:
    card, graphics = amd.parse_rocminfo(sample("rocminfo_navi.txt"))
    assert value(card.name) == "Radeon RX 7900 XTX"
    assert value(card.wave_size) == 32
    assert graphics.name is None
    assert graphics.uuid is None
    assert value(graphics.arch) == "gfx1036"


def test_mi250x_is_two_devices_with_their_own_specs() -> None:
    devices = [specs.enrich(device) for device in amd.parse_rocminfo(sample("rocminfo_mi250x.txt"))]
    assert len(devices) == 2
    for device in devices:
        assert value(device.product) == "MI250X (per GCD)"
        assert value(device.compute_units) == 110
        assert value(device.cores) == 7040
        assert "one device" in device.note


def test_amd_smi_both_shapes() -> None:
    (old,) = amd.parse_amd_smi(sample("amd_smi_rocm6.json"))
    assert value(old.name) == "AMD Instinct MI300X"
    assert value(old.memory_bytes) == 196592 * 2**20
    assert value(old.bus) == "0000:05:00.0"
    new, unknown = amd.parse_amd_smi(sample("amd_smi_rocm7.json"))
    assert value(new.arch) == "gfx950"
    assert unknown == Device(Backend.ROCM, 1)


def test_rocm_smi() -> None:
    first, second = amd.parse_rocm_smi(sample("rocm_smi.json"))
    assert value(first.name) == "Radeon RX 7900 XT"
    assert value(first.memory_bytes) == 21458059264
    assert value(first.node) == 1
    assert second.name is None
    assert second.memory_bytes is None


@pytest.mark.parametrize(
    "text", ["", "null", "{}", "[]", "[1]", '{"gpu_data": 3}', '{"card0": 1}', "ERROR: no GPU\n", "{oops"]
)
def test_amd_tools_without_devices(text: str) -> None:
    assert amd.parse_amd_smi(text) == []
    assert amd.parse_rocm_smi(text) == []
    assert amd.parse_rocminfo(text) == []


def test_kfd(box: Box) -> None:
    box.kfd(0, simd_count=0, cpu_cores_count=96, gfx_target_version=0)
    box.kfd(2, HBM_192, **MI300X_KFD, unique_id=0x8AF705259683161C)
    devices, unreadable = amd.from_kfd(box.host)
    (device,) = devices
    assert unreadable == 0
    assert value(device.arch) == "gfx942"
    assert value(device.compute_units) == 304
    assert value(device.bus) == "0000:05:00.0"
    assert value(device.uuid) == "GPU-8af705259683161c"
    assert device.node == Fact(2, "/sys/class/kfd/kfd/topology/nodes/2/properties")
    assert value(specs.enrich(device).product) == "MI300X"


def test_kfd_orders_nodes_by_number(box: Box) -> None:
    for node in (10, 2, 9):
        box.kfd(node, **MI300X_KFD)
    assert [value(device.node) for device in amd.from_kfd(box.host)[0]] == [2, 9, 10]


def test_the_kernel_beats_an_override_and_the_tools_add_the_name(box: Box) -> None:
    box.kfd(1, "heap_type 1\nsize_in_bytes 12868124672\n", simd_count=80, simd_per_cu=2, gfx_target_version=100301)
    box.file("/dev/kfd")
    box.tool("rocminfo", f"/bin/sed -e s/gfx1100/gfx1030/ {DATA / 'rocminfo_navi.txt'}")
    (device,) = amd.examine(box.host).devices
    assert value(device.arch) == "gfx1031"
    assert value(device.name) == "Radeon RX 7900 XTX"


def test_a_hidden_device_is_still_there(box: Box) -> None:
    """rocminfo obeys ROCR_VISIBLE_DEVICES, the kernel does not."""
    for node in (1, 2, 3):
        box.kfd(node, HBM_192, **MI300X_KFD)
    box.prints("rocminfo", "rocminfo_mi300x.txt")
    devices = amd.examine(box.host).devices
    assert len(devices) == 3
    assert [value(device.name) for device in devices] == [None, "AMD Instinct MI300X", "AMD Instinct MI300X"]


def test_cpx_partition_is_not_the_whole_card() -> None:
    device = specs.enrich(
        Device(
            Backend.ROCM,
            0,
            name=Fact("AMD Instinct MI300X", "x"),
            arch=Fact("gfx942", "x"),
            compute_units=Fact(38, "x"),
        )
    )
    assert device.product is None
    assert "partition" in device.note
    assert value(device.cores) == 38 * 64


def test_no_kfd_device_file(box: Box) -> None:
    box.kfd(1, **MI300X_KFD)
    (note,) = amd.examine(box.host).notes
    assert (note.level, note.subject) == (Level.ERROR, "/dev/kfd")


@pytest.mark.usefixtures("rights_count")
def test_kfd_without_rights(box: Box) -> None:
    box.file("/dev/kfd")
    (box.root / "dev/kfd").chmod(0)
    (note,) = amd.examine(box.host).notes
    assert "render" in note.advice


def test_rocm_version_from_its_folder(box: Box) -> None:
    box.file("/opt/rocm/.info/version", "6.4.1-83\n")
    assert amd.examine(box.host).versions["rocm"] == Fact("6.4.1-83", "/opt/rocm/.info/version")


# --- Gaudi, Intel ------------------------------------------------------------------------


def test_hl_smi(box: Box) -> None:
    box.prints("hl-smi", "hl_smi.csv")
    platform = gaudi.examine(box.host)
    assert len(platform.devices) == 2
    assert platform.versions["driver"].value == "1.21.0-ca59b5a"
    device = specs.enrich(platform.devices[0])
    assert value(device.product) == "Gaudi2"
    assert value(device.memory_bytes) == 98304 * 2**20
    assert device.wave_size is None
    assert device.cores is None


def test_gaudi_from_sysfs_but_not_an_npu(box: Box) -> None:
    box.file("/sys/class/accel/accel0/device/vendor", "0x8086\n")
    box.file("/sys/class/accel/accel1/device/vendor", "0x1da3\n")
    box.file("/sys/class/accel/accel1/device/device_type", "GAUDI3\n")
    (device,) = gaudi.examine(box.host).devices
    assert device.name == Fact("Gaudi3", "/sys/class/accel/accel1/device/device_type")
    assert value(specs.enrich(device).arch) == "hpu-gaudi3"


def test_intel_gpu(box: Box) -> None:
    box.prints("xpu-smi", "xpu_smi.json")
    (device,) = intel.examine(box.host).devices
    assert value(device.name) == "Intel(R) Data Center GPU Max 1550"


def test_a_display_device_is_a_hint_not_a_platform(box: Box) -> None:
    box.file("/sys/class/drm/card0/device/vendor", "0x8086\n")
    machine = box.examine()
    assert machine.backend is Backend.CPU
    assert machine.platform(Backend.XPU).evidence[0].source == "/sys/class/drm/card0/device/vendor"


# --- the tables --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("NVIDIA GB200", "GB200 (per GPU)"),
        ("NVIDIA B200", "B200 SXM"),
        ("NVIDIA H200", "H200 SXM"),
        ("NVIDIA H200 NVL", None),
        ("NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 NVL", "H100 NVL"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"),
        ("NVIDIA A100-SXM4-40GB", None),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"),
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA L40", None),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("NVIDIA GeForce RTX 4090 D", None),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("AMD Instinct MI300X", "MI300X"),
        ("AMD Instinct MI300X OAM", "MI300X"),
        ("AMD Instinct MI300X VF", "MI300X"),
        ("AMD Instinct MI300A", "MI300A"),
        ("AMD Instinct MI250X", "MI250X (per GCD)"),
        ("AMD Instinct MI250", None),
        ("AMD Radeon RX 7900 XTX", "RX 7900 XTX"),
        ("AMD Radeon RX 7900 XT", None),
        ("AMD Radeon Graphics", None),
        ("HL-225", "Gaudi2"),
        ("HL-325L", "Gaudi3"),
        ("", None),
    ],
)
def test_names(name: str, row: str | None) -> None:
    found = specs_of_name(name)
    assert (found.name if found else None) == row


def test_sm_counts_from_the_architecture_table() -> None:
    devices = [specs.enrich(device) for device in nvidia.parse_query(sample("nvidia_smi_mixed.csv"))]
    assert [value(device.compute_units) for device in devices] == [148, 148, None, 80, None, 108, 132]
    volta = devices[3]
    assert volta.cores == Fact(5120, "80 SMs x 64 (nvidia_arch.csv)")
    laptop = devices[2]
    assert laptop.cores is None
    assert value(laptop.wave_size) == 32


def test_tables_are_sound() -> None:
    names = {row["specs"] for row in tables.rows("device_names.csv")}
    assert names <= set(all_specs())
    for row in all_specs().values():
        assert row.source
        assert row.confidence in ("high", "medium", "low")
        if row.vendor == "AMD" and row.compute_units:
            assert row.cores == row.compute_units * specs.LANES_PER_CU
        if row.vendor == "NVIDIA" and row.compute_units:
            assert row.cores == row.compute_units * specs.sm_cores()[row.arch][0]
    for arch in specs.amd_archs().values():
        assert arch.wave_size == (64 if arch.gfx.startswith("gfx9") else 32)
        assert arch.fp8 is not None
    for row in tables.rows("env_vars.csv"):
        assert Level(row["level"])
        assert {Backend(name) for name in row["backend"].split("|")}
        assert row["message"].endswith(".")


def test_unknown_is_none_never_a_default() -> None:
    bare = specs.enrich(Device(Backend.ROCM, 0, arch=Fact("gfx1299", "x")))
    assert bare == Device(Backend.ROCM, 0, arch=Fact("gfx1299", "x"))


# --- tools that misbehave ----------------------------------------------------------------


def known(name: str) -> tools.Known:
    return next(tool for tool in tools.TOOLS if tool.name == name)


@pytest.mark.parametrize(
    ("name", "output", "version"),
    [
        ("nvcc", "Cuda compilation tools, release 13.0, V13.0.88", "13.0.88"),
        ("nvidia-smi", "NVIDIA-SMI version  : 580.159.04\nNVML version        : 580.159", "580.159.04"),
        (
            "amd-smi",
            "AMDSMI Tool: 25.3.0+ede62f2 | AMDSMI Library version: 25.3.0 | ROCm version: 6.4.1",
            "25.3.0+ede62f2",
        ),
        ("rocm-smi", "ROCM-SMI version: 3.0.0+f1a57e3\nROCM-SMI-LIB version: 7.5.0", "3.0.0+f1a57e3"),
        ("hipcc", "HIP version: 6.4.43482-0f2d60242\nAMD clang version 19.0.0git", "6.4.43482-0f2d60242"),
        ("hl-smi", "hl-smi version: hl-1.21.0-fw-59.2.1.0", "hl-1.21.0-fw-59.2.1.0"),
        ("xpu-smi", "CLI:\n    Version: 1.2.38.20240718.060204\n    Build ID: 0db09695", "1.2.38.20240718.060204"),
        ("clang", "Debian clang version 19.1.7 (3)\nTarget: x86_64-pc-linux-gnu", "19.1.7"),
    ],
)
def test_tool_versions(box: Box, name: str, output: str, version: str) -> None:
    box.tool(name, f"/bin/cat <<'END'\n{output}\nEND")
    tool = tools.examine(box.host, known(name))
    assert tool.state is ToolState.WORKS
    assert tool.version is not None
    assert tool.version.value == version
    assert tool.version.source.startswith(name)


def test_missing_tool(box: Box) -> None:
    tool = tools.examine(box.host, known("nvcc"))
    assert (tool.state, tool.path, tool.on_path, tool.version) == (ToolState.MISSING, None, None, None)


def test_tool_off_the_path(box: Box) -> None:
    box.tool("hipcc", "echo HIP version: 7.0.1", box.root / "opt/rocm/bin")
    tool = tools.examine(box.host, known("hipcc"))
    assert tool.on_path is False
    assert value(tool.version) == "7.0.1"


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("echo broken >&2; exit 3", "exit code 3: broken"),
        ("kill -9 $$", "exit code -9"),
        ("exit 127", "exit code 127"),
    ],
)
def test_failing_tool(box: Box, script: str, detail: str) -> None:
    box.tool("nvcc", script)
    tool = tools.examine(box.host, known("nvcc"))
    assert tool.state is ToolState.FAILED
    assert tool.detail == detail
    assert tool.version is None


def test_tool_that_cannot_be_started(box: Box) -> None:
    target = box.bin / "nvcc"
    target.write_bytes(b"\x7fELF not really")
    target.chmod(0o755)
    tool = tools.examine(box.host, known("nvcc"))
    assert tool.state is ToolState.FAILED
    assert tool.detail


@pytest.mark.parametrize(
    "script", ["/bin/sleep 600", "/bin/sleep 600 & wait", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyy; done"]
)
def test_hanging_tool_costs_its_time_limit(box: Box, script: str) -> None:
    box.timeout = 0.5
    box.tool("nvcc", script)
    tool = tools.examine(box.host, known("nvcc"))
    assert tool.state is ToolState.TIMED_OUT
    assert "0.5 s" in tool.detail


def test_a_child_left_behind_does_not_hold_us_up(box: Box) -> None:
    box.tool("nvcc", 'echo "release 12.8, V12.8.61"; /bin/sleep 600 &')
    tool = tools.examine(box.host, known("nvcc"))
    assert value(tool.version) == "12.8.61"


def test_odd_bytes(box: Box) -> None:
    box.tool("nvcc", r"printf '\377\376release 12.0, V12.0.1\n'")
    assert value(tools.examine(box.host, known("nvcc")).version) == "12.0.1"


def test_every_tool_hangs_and_the_examination_still_ends(box: Box) -> None:
    box.timeout = 0.3
    for tool in tools.TOOLS:
        box.tool(tool.name, "/bin/sleep 600")
    machine = box.examine()
    assert machine.backend is Backend.CPU
    assert {note.subject for note in machine.notes} >= {
        "nvidia-smi",
        "rocminfo",
        "amd-smi",
        "rocm-smi",
        "hl-smi",
        "xpu-smi",
    }


@given(st.text())
def test_parsers_never_raise(text: str) -> None:
    nvidia.parse_query(text)
    amd.parse_rocminfo(text)
    amd.parse_amd_smi(text)
    amd.parse_rocm_smi(text)
    gaudi.parse_query(text)
    intel.parse_discovery(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["gpu_data", "asic", "bus", "vram", "size", "value", "bdf", "card0", "device_list", "device_name", "market_name"]),
    inner)))  # fmt: skip
def test_json_of_any_shape_never_raises(data: object) -> None:
    text = json.dumps(data)
    amd.parse_amd_smi(text)
    amd.parse_rocm_smi(text)
    intel.parse_discovery(text)


# --- torch, in a child process -----------------------------------------------------------

FAKE = """
class version:
    cuda = {cuda!r}
    hip = {hip!r}
    xpu = None
__version__ = {version!r}
class _Props:
    name = {name!r}
    total_memory = 206141652992
    multi_processor_count = {units}
    major, minor = {major}, {minor}
    warp_size = {wave}
    {extra}
class cuda:
    @staticmethod
    def get_arch_list(): return {archs!r}
    @staticmethod
    def device_count(): return {count}
    @staticmethod
    def get_device_properties(index): return _Props
"""
HIP = {
    "cuda": None, "hip": "7.0.51831", "version": "2.10.0+rocm7.0", "name": "AMD Instinct MI300X", "units": 304,
    "major": 9, "minor": 4, "wave": 64, "extra": 'gcnArchName = "gfx942:sramecc+:xnack-"',
    "archs": ["gfx90a", "gfx942"], "count": 1,
}  # fmt: skip
CUDA = {
    "cuda": "13.0", "hip": None, "version": "2.11.0+cu130", "name": "NVIDIA H200", "units": 132,
    "major": 9, "minor": 0, "wave": 32, "extra": "", "archs": ["sm_80", "sm_90"], "count": 1,
}  # fmt: skip


def install(box: Box, text: str, package: str = "torch") -> None:
    folder = Path(box.environ["HOME"]) / "site"
    target = folder.joinpath(*package.split("."), "__init__.py")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    box.environ["PYTHONPATH"] = str(folder)


def test_no_torch(box: Box) -> None:
    box.tool("python-without-packages", f'exec {sys.executable} -I -S "$@"')
    host = Host(root=box.root, environ=box.environ, python=str(box.bin / "python-without-packages"))
    build = torch_build.examine(host)
    assert build.state is TorchState.NOT_INSTALLED
    assert build.backend is None
    assert build.devices is None


def test_hip_build(box: Box) -> None:
    install(box, FAKE.format(**HIP))
    build = torch_build.examine(box.host)
    assert build.state is TorchState.WORKS
    assert build.backend is Backend.ROCM
    assert (build.cuda, build.hip) == (None, "7.0.51831")
    assert build.devices is not None
    assert build.devices[0].arch == "gfx942"
    assert build.devices[0].wave_size == 64


def test_cuda_build_adds_sm_count(box: Box) -> None:
    install(box, FAKE.format(**CUDA))
    box.prints("nvidia-smi", "nvidia_smi_h200.csv")
    machine = box.examine(ask_torch=True)
    assert machine.backend is Backend.CUDA
    assert machine.devices[0].compute_units == Fact(132, "torch")
    assert machine.devices[1].compute_units == Fact(132, "torch")
    assert value(machine.devices[0].cores) == 16896
    assert any("1 of 2 devices" in note.message for note in machine.notes)


def test_gaudi_build(box: Box) -> None:
    install(box, 'class version:\n    cuda = hip = None\n__version__ = "2.7.1+hpu_1.21.0"')
    install(box, "", "habana_frameworks")
    install(box, "", "habana_frameworks.torch")
    install(box, "def is_available(): return True\ndef device_count(): return 8", "habana_frameworks.torch.hpu")
    build = torch_build.examine(box.host)
    assert build.backend is Backend.GAUDI
    assert build.hpu == "unknown"
    assert build.devices is not None
    assert len(build.devices) == 8


def test_cpu_build(box: Box) -> None:
    install(box, 'class version:\n    cuda = hip = xpu = None\n__version__ = "2.11.0+cpu"')
    build = torch_build.examine(box.host)
    assert build.backend is Backend.CPU
    assert build.devices == ()


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("raise ImportError('libcudart.so.13: cannot open shared object file')", "ImportError: libcudart.so.13"),
        ("import sys; sys.exit('bye')", "SystemExit: bye"),
        ("x = (", "SyntaxError"),
        ("import os; os._exit(5)", "exit code 5"),
        ("import os; os.abort()", "exit code -6"),
    ],
)
def test_broken_torch(box: Box, text: str, detail: str) -> None:
    install(box, text)
    build = torch_build.examine(box.host)
    assert build.state is TorchState.BROKEN
    assert build.detail.startswith(detail)
    assert build.backend is None


def test_chatty_torch(box: Box) -> None:
    install(box, "print('hello from torch')\n" + FAKE.format(**HIP))
    assert torch_build.examine(box.host).hip == "7.0.51831"


def test_devices_that_cannot_be_listed(box: Box) -> None:
    broken = FAKE.format(**HIP).replace("return 1", "raise RuntimeError('No HIP GPUs are available')")
    install(box, broken)
    build = torch_build.examine(box.host)
    assert build.state is TorchState.WORKS
    assert build.devices is None
    assert "No HIP GPUs" in build.device_error


def test_hanging_torch(box: Box) -> None:
    install(box, "import time; time.sleep(600)")
    host = Host(root=box.root, environ=box.environ, torch_timeout=1.0)
    assert torch_build.examine(host).state is TorchState.TIMED_OUT


def test_torch_in_the_present_folder_is_never_run(box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """doctor may be started inside a repository that has a torch.py of its own."""
    proof = tmp_path / "ran"
    (tmp_path / "torch.py").write_text(f"open({str(proof)!r}, 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    torch_build.examine(box.host)
    assert not proof.exists()


# --- the whole machine -------------------------------------------------------------------


def rocm_machine(box: Box, *, torch: dict[str, object] | None = None) -> Machine:
    for node, location in ((2, 1280), (3, 1536)):
        box.kfd(node, HBM_192, **{**MI300X_KFD, "location_id": location})
    box.file("/dev/kfd")
    box.file("/opt/rocm/.info/version", "7.0.1-42")
    box.prints("rocminfo", "rocminfo_mi300x.txt")
    if torch is not None:
        install(box, FAKE.format(**torch))
    return box.examine(ask_torch=torch is not None)


def test_rocm_machine(box: Box) -> None:
    machine = rocm_machine(box, torch={**HIP, "count": 2})
    assert machine.backend is Backend.ROCM
    assert [value(device.product) for device in machine.devices] == ["MI300X", "MI300X"]
    device = machine.devices[0]
    assert value(device.cores) == 19456
    assert value(device.fp8) == "FNUZ"
    assert machine.platform(Backend.ROCM).versions["rocm"].value == "7.0.1-42"
    assert machine.notes == ()
    assert machine.torch.backend is Backend.ROCM


def test_wrong_torch_on_an_amd_machine(box: Box) -> None:
    machine = rocm_machine(box, torch={**CUDA, "count": 0})
    assert machine.backend is Backend.ROCM
    (note,) = machine.notes
    assert note.level is Level.ERROR
    assert "built for NVIDIA CUDA" in note.message


def test_torch_sees_nothing(box: Box) -> None:
    machine = rocm_machine(box, torch={**HIP, "count": 0})
    assert any("torch sees none" in note.message for note in machine.notes)


def test_torch_without_code_for_the_chip(box: Box) -> None:
    machine = rocm_machine(box, torch={**HIP, "count": 2, "archs": ["gfx1100", "gfx90a"]})
    (note,) = machine.notes
    assert "no code for gfx942" in note.message


def test_torch_decides_between_two_kinds_of_device(box: Box) -> None:
    box.prints("nvidia-smi", "nvidia_smi_h200.csv")
    machine = rocm_machine(box, torch={**HIP, "count": 2})
    assert machine.backend is Backend.ROCM
    assert "2 kinds" in machine.why


def test_only_torch_sees_the_device(box: Box) -> None:
    install(box, FAKE.format(**HIP))
    machine = box.examine(ask_torch=True)
    assert machine.backend is Backend.ROCM
    (device,) = machine.devices
    assert device.arch == Fact("gfx942", "torch")
    assert value(device.product) == "MI300X"


def test_bare_machine(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(environment: object) -> None:
        raise UsageError("no HIP compiler found")

    monkeypatch.setattr(abilities, "find", nothing)
    machine = box.examine()
    assert machine.backend is Backend.CPU
    assert machine.devices == ()
    assert machine.platforms == ()
    assert machine.torch.state is TorchState.NOT_ASKED
    assert {ability.name: ability.possible for ability in machine.abilities} == {
        "static": True, "build": False, "run": False, "numbers": False, "isolation": True,
    }  # fmt: skip


def test_abilities_name_what_is_here(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = Toolchain("rocm", ("clang",), None, (Path("include"),), None, "7.0")
    monkeypatch.setattr(abilities, "find", lambda environment: compiler)
    machine = rocm_machine(box)
    found = {ability.name: ability for ability in machine.abilities}
    assert found["build"].possible
    assert "a compiler is here (rocm)" in found["build"].why
    assert found["run"].possible
    assert "MI300X is here" in found["run"].why
    # An NVIDIA GPU runs programs, and says nothing about AMD.
    assert "says nothing" in abilities.examine((), {})[2].why
