"""``rewarp doctor``: variables that bite, the JSON it promises, the terminal, exit codes."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from rewarp import cli
from rewarp.host import Backend, Device, Fact, Host, Level, Machine, Note, TorchBuild, TorchState, allocator
from rewarp.host import machine as machines
from rewarp.host.environment import Setting, examine
from rewarp.report import doctor

SCHEMA = json.loads(resources.files("rewarp.report").joinpath("schemas/doctor-1.json").read_text("utf-8"))
NO_TORCH = TorchBuild(TorchState.NOT_INSTALLED, "python")


def torch(version: str, *, cuda: str | None = None, hip: str | None = None) -> TorchBuild:
    return TorchBuild(TorchState.WORKS, "python", version=version, cuda=cuda, hip=hip)


def amd(count: int = 8, arch: str = "gfx942") -> tuple[Device, ...]:
    source = "/sys/class/kfd/kfd/topology/nodes/1/properties"
    return tuple(Device(Backend.ROCM, index, arch=Fact(arch, source)) for index in range(count))


def nvidia(count: int = 8, arch: str = "sm_90") -> tuple[Device, ...]:
    return tuple(Device(Backend.CUDA, index, arch=Fact(arch, "nvidia-smi")) for index in range(count))


def notes(
    environ: dict[str, str],
    devices: tuple[Device, ...] = (),
    *,
    backend: Backend | None = None,
    build: TorchBuild = NO_TORCH,
    rocm: str | None = None,
    root: Path = Path("/nonexistent"),
) -> list[Note]:
    backend = backend or (devices[0].backend if devices else Backend.CPU)
    return list(examine(Setting(Host(root=root, environ=environ), backend, devices, build, rocm)))


def about(subject: str, found: list[Note]) -> Note:
    (note,) = [note for note in found if note.subject == subject]
    return note


# --- devices that are hidden -------------------------------------------------------------


def test_nothing_set_nothing_said() -> None:
    assert notes({"PATH": "/bin", "HOME": "/root"}, amd()) == []


def test_hip_and_cuda_lists_differ() -> None:
    found = notes({"HIP_VISIBLE_DEVICES": "0,1", "CUDA_VISIBLE_DEVICES": "2"}, amd())
    note = about("CUDA_VISIBLE_DEVICES", found)
    assert note.level is Level.WARNING
    assert "HIP_VISIBLE_DEVICES is set and wins" in note.message
    assert found[0] is note, "the worst comes first"


def test_hip_and_cuda_lists_agree() -> None:
    found = notes({"HIP_VISIBLE_DEVICES": "0,1", "CUDA_VISIBLE_DEVICES": "0, 1"}, amd())
    assert {note.level for note in found} == {Level.INFO}


@pytest.mark.parametrize(
    ("hip", "rocr", "level", "words"),
    [
        ("0,1,2", "0,1", Level.ERROR, "torch refuses"),
        ("2", "4,5", Level.ERROR, "no such device"),
        ("1", "4,5", Level.WARNING, "Counts inside"),
    ],
)
def test_hip_inside_rocr(hip: str, rocr: str, level: Level, words: str) -> None:
    note = about("HIP_VISIBLE_DEVICES", notes({"HIP_VISIBLE_DEVICES": hip, "ROCR_VISIBLE_DEVICES": rocr}, amd()))
    assert note.level is level
    assert words in note.message


def test_cuda_list_beside_rocr_is_not_read_by_torch() -> None:
    found = notes({"CUDA_VISIBLE_DEVICES": "0", "ROCR_VISIBLE_DEVICES": "0,1"}, amd())
    assert any("torch counts the devices of ROCR" in note.message for note in found)


def test_cuda_list_alone_on_amd() -> None:
    found = notes({"CUDA_VISIBLE_DEVICES": "0"}, amd())
    assert any("HIP_VISIBLE_DEVICES" in note.advice for note in found)
    assert {note.level for note in found} == {Level.INFO}


@pytest.mark.parametrize(
    ("value", "level", "words"),
    [
        ("", Level.WARNING, "Hides every device"),
        ("-1", Level.WARNING, "Hides every device"),
        ("0,0", Level.ERROR, "twice"),
        ("0,1,8", Level.WARNING, "2 remain"),
        ("8", Level.ERROR, "0 remain"),
        ("gpu0", Level.ERROR, "not an index"),
        ("GPU-8af705259683161c", Level.INFO, "identifier"),
        ("1,0", Level.INFO, "Shows 2 of 8"),
    ],
)
@pytest.mark.parametrize("backend", [Backend.CUDA, Backend.ROCM])
def test_one_list(value: str, level: Level, words: str, backend: Backend) -> None:
    name = "HIP_VISIBLE_DEVICES" if backend is Backend.ROCM else "CUDA_VISIBLE_DEVICES"
    note = about(name, notes({name: value}, amd() if backend is Backend.ROCM else nvidia()))
    assert note.level is level
    assert words in note.message
    assert note.value == value


def test_amd_lists_on_nvidia_mean_nothing() -> None:
    found = notes({"HIP_VISIBLE_DEVICES": "9", "ROCR_VISIBLE_DEVICES": "9"}, nvidia())
    assert [note.level for note in found] == [Level.INFO, Level.INFO]


def test_unknown_number_of_devices_is_not_taken_for_none() -> None:
    note = about("CUDA_VISIBLE_DEVICES", notes({"CUDA_VISIBLE_DEVICES": "7"}, backend=Backend.CUDA))
    assert note.level is Level.INFO


# --- the allocator -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", {}),
        ("max_split_size_mb:512", {"max_split_size_mb": "512"}),
        ("a:1, b:[256:1,512:2,>:4],c", {"a": "1", "b": "[256:1,512:2,>:4]", "c": ""}),
        (",,", {}),
        ("a:[1", {"a": "[1"}),
    ],
)
def test_allocator_settings(text: str, settings: dict[str, str]) -> None:
    assert allocator.parse(text) == settings


@pytest.mark.parametrize(
    ("version", "rocm", "level", "words"),
    [
        ("2.10.0+rocm7.0", "7.0.2", Level.INFO, "ignored"),
        ("2.12.0+rocm6.4", "6.4.1-83", Level.INFO, "ignored"),
        ("2.12.0+rocm7.1", "7.1.0", Level.WARNING, "is live here"),
        (None, None, Level.WARNING, "is live from"),
    ],
)
def test_expandable_segments_on_amd(version: str | None, rocm: str | None, level: Level, words: str) -> None:
    build = torch(version, hip="7") if version else NO_TORCH
    environ = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True,max_split_size_mb:512"}
    note = about("PYTORCH_CUDA_ALLOC_CONF", notes(environ, amd(), build=build, rocm=rocm))
    assert note.level is level
    assert words in note.message
    assert ("zeros" in note.message) == (level is Level.WARNING)


def test_expandable_segments_on_nvidia_is_plain() -> None:
    found = notes({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}, nvidia())
    assert about("PYTORCH_CUDA_ALLOC_CONF", found).level is Level.INFO


def test_two_allocator_variables() -> None:
    environ = {"PYTORCH_HIP_ALLOC_CONF": "max_split_size_mb:64", "PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:512"}
    found = notes(environ, amd(), build=torch("2.10.0+rocm7.0", hip="7.0"))
    assert "PYTORCH_CUDA_ALLOC_CONF is set" in about("PYTORCH_HIP_ALLOC_CONF", found).message
    assert about("PYTORCH_CUDA_ALLOC_CONF", found).level is Level.INFO


def test_new_allocator_name_on_an_old_torch() -> None:
    found = notes({"PYTORCH_ALLOC_CONF": "max_split_size_mb:64"}, nvidia(), build=torch("2.6.0+cu124", cuda="12.4"))
    assert "does not know this name" in about("PYTORCH_ALLOC_CONF", found).message


def test_unknown_allocator_key() -> None:
    note = about("PYTORCH_ALLOC_CONF", notes({"PYTORCH_ALLOC_CONF": "max_splitsize_mb:64"}, nvidia()))
    assert note.level is Level.WARNING
    assert "max_splitsize_mb" in note.message


# --- everything else ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "arch", "level", "words"),
    [
        ("10.3.0", "gfx1031", Level.WARNING, "gfx1030"),
        ("10.3.0", "gfx1030", Level.INFO, "anyway"),
        ("9.4.2", "gfx90a", Level.ERROR, "gfx942"),
        ("9.0.10", "gfx90a", Level.INFO, "gfx90a"),
        ("gfx1030", "gfx1031", Level.ERROR, "10.3.0"),
    ],
)
def test_override_of_the_architecture(value: str, arch: str, level: Level, words: str) -> None:
    note = about("HSA_OVERRIDE_GFX_VERSION", notes({"HSA_OVERRIDE_GFX_VERSION": value}, amd(1, arch)))
    assert note.level is level
    assert words in note.message


def test_override_on_nvidia() -> None:
    found = notes({"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}, nvidia())
    assert about("HSA_OVERRIDE_GFX_VERSION", found).level is Level.INFO


def test_cuda_arch_list_on_amd() -> None:
    note = about("TORCH_CUDA_ARCH_LIST", notes({"TORCH_CUDA_ARCH_LIST": "9.0"}, amd()))
    assert note.level is Level.WARNING
    assert "PYTORCH_ROCM_ARCH=gfx942" in note.advice
    both = notes({"TORCH_CUDA_ARCH_LIST": "9.0", "PYTORCH_ROCM_ARCH": "gfx942"}, amd())
    assert {note.level for note in both} == {Level.INFO}


@pytest.mark.parametrize(
    ("value", "arch", "level"),
    [
        ("8.0;9.0", "sm_90", Level.INFO),
        ("8.0 8.6", "sm_90", Level.WARNING),
        ("8.0", "sm_86", Level.INFO),
        ("8.6", "sm_80", Level.WARNING),
        ("8.0+PTX", "sm_90", Level.INFO),
        ("9.0a", "sm_90", Level.INFO),
        ("9.0+PTX", "sm_100", Level.INFO),
        ("Ampere;Hopper", "sm_90", Level.INFO),
    ],
)
def test_cuda_arch_list_on_nvidia(value: str, arch: str, level: Level) -> None:
    assert about("TORCH_CUDA_ARCH_LIST", notes({"TORCH_CUDA_ARCH_LIST": value}, nvidia(1, arch))).level is level


def test_rocm_arch_list_that_leaves_out_the_device() -> None:
    note = about("PYTORCH_ROCM_ARCH", notes({"PYTORCH_ROCM_ARCH": "gfx90a;gfx1100"}, amd()))
    assert note.level is Level.WARNING
    assert "gfx942" in note.advice
    fine = about("PYTORCH_ROCM_ARCH", notes({"PYTORCH_ROCM_ARCH": "gfx90a gfx942:xnack-"}, amd()))
    assert fine.level is Level.INFO


def test_cuda_libraries_on_amd(tmp_path: Path) -> None:
    environ = {"LD_LIBRARY_PATH": "/opt/rocm/lib:/usr/local/cuda/lib64", "CUDA_HOME": "/usr/local/cuda"}
    (tmp_path / "usr/local/cuda").mkdir(parents=True)
    found = notes(environ, amd(), root=tmp_path)
    assert "/usr/local/cuda/lib64" in about("LD_LIBRARY_PATH", found).message
    assert about("CUDA_HOME", found).level is Level.INFO


def test_another_cuda_than_torchs() -> None:
    environ = {"LD_LIBRARY_PATH": "/usr/local/cuda-11.8/lib64"}
    found = notes(environ, nvidia(), build=torch("2.11.0+cu130", cuda="13.0"))
    assert about("LD_LIBRARY_PATH", found).level is Level.WARNING
    assert notes({"LD_LIBRARY_PATH": "/usr/local/cuda-13/lib64"}, nvidia(), build=torch("2.11.0", cuda="13.0")) == []


def test_home_that_does_not_exist() -> None:
    assert about("ROCM_PATH", notes({"ROCM_PATH": "/opt/rocm-9"}, amd())).level is Level.WARNING
    assert about("ROCM_PATH", notes({"ROCM_PATH": "/opt/rocm-9"}, nvidia())).level is Level.INFO


@pytest.mark.parametrize(
    ("name", "value", "devices", "level"),
    [
        ("CUDA_LAUNCH_BLOCKING", "1", nvidia(), Level.WARNING),
        ("CUDA_LAUNCH_BLOCKING", "1", amd(), Level.INFO),
        ("CUDA_LAUNCH_BLOCKING", "0", nvidia(), None),
        ("AMD_SERIALIZE_KERNEL", "3", amd(), Level.WARNING),
        ("AMD_SERIALIZE_KERNEL", "0", amd(), None),
        ("NCCL_DEBUG", "INFO", amd(), Level.INFO),
        ("NCCL_P2P_DISABLE", "1", amd(), Level.WARNING),
        ("NCCL_SOCKET_IFNAME", "eth0", amd(), Level.INFO),
        ("NCCL_SOCKET_IFNAME", "eth0", nvidia(), None),
        ("NCCL_NVLS_ENABLE", "1", amd(), Level.INFO),
        ("NVIDIA_TF32_OVERRIDE", "0", nvidia(), Level.WARNING),
        ("PYTORCH_TUNABLEOP_ENABLED", "1", amd(), Level.INFO),
        ("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", amd(), Level.WARNING),
        ("HSA_ENABLE_SDMA", "0", amd(), Level.WARNING),
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID", amd(), Level.INFO),
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID", nvidia(), None),
    ],
)
def test_plain_variables(name: str, value: str, devices: tuple[Device, ...], level: Level | None) -> None:
    found = notes({name: value}, devices)
    assert [note.level for note in found] == ([level] if level else [])
    assert all(note.subject == name and note.value == value for note in found)


def test_gaudi_variables() -> None:
    devices = (Device(Backend.GAUDI, 0),)
    found = notes({"CUDA_VISIBLE_DEVICES": "0", "PT_HPU_LAZY_MODE": "1", "NCCL_DEBUG": "INFO"}, devices)
    assert {note.subject for note in found} == {"CUDA_VISIBLE_DEVICES", "PT_HPU_LAZY_MODE", "NCCL_DEBUG"}


# --- what it prints ----------------------------------------------------------------------


def bare(tmp_path: Path, **environ: str) -> Machine:
    return machines.examine(Host(root=tmp_path, environ={"PATH": str(tmp_path), **environ}), ask_torch=False)


def terminal(machine: Machine, width: int = 120) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"), force_terminal=False)  # noqa: SIM115
    doctor.show(machine, console)
    console.file.close()
    return console.export_text()


def full(tmp_path: Path) -> Machine:
    """A machine with every field filled, and a tool that prints markup."""
    base = "sys/class/kfd/kfd/topology/nodes"
    for node in (1, 2):
        folder = tmp_path / base / str(node)
        (folder / "mem_banks/0").mkdir(parents=True)
        (folder / "properties").write_text(
            "simd_count 440\nsimd_per_cu 4\nwave_front_size 64\ngfx_target_version 90010\n"
        )
        (folder / "mem_banks/0/properties").write_text("heap_type 1\nsize_in_bytes 68702699520\n")
    broken = tmp_path / "rocm-smi"
    broken.write_text("#!/bin/sh\necho '[/bold] [red]not markup[/nonsense]' >&2\nexit 1\n")
    broken.chmod(0o755)
    return bare(tmp_path, HIP_VISIBLE_DEVICES="0,[5]", HSA_OVERRIDE_GFX_VERSION="9.4.2")


def test_json_fits_its_schema(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for machine in (bare(tmp_path / "nothing"), full(tmp_path)):
        data = json.loads(json.dumps(doctor.document(machine)))
        jsonschema.validate(data, SCHEMA)
        assert data["schema_version"] == 1


def test_json_says_where_from(tmp_path: Path) -> None:
    data = doctor.document(full(tmp_path))
    assert data["platform"] == "rocm"
    device = data["devices"][1]
    assert device["arch"] == {"value": "gfx90a", "source": "/sys/class/kfd/kfd/topology/nodes/2/properties"}
    assert device["product"]["value"] == "MI250X (per GCD)"
    assert device["name"] is None
    assert data["torch"]["state"] == "not asked"


def test_schema_names_every_field() -> None:
    properties = SCHEMA["properties"]
    for item in (properties["devices"]["items"], properties["torch"], properties["tools"]["items"]):
        assert set(item["required"]) == set(item["properties"])


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminal(tmp_path: Path, width: int) -> None:
    text = " ".join(terminal(full(tmp_path), width).split())
    assert "AMD ROCm" in text
    assert "not asked" in text
    if width == 200:
        assert "unnamed = MI250X (per GCD)" in text
        assert "[/bold] [red]not markup[/nonsense]" in text
        assert "HIP_VISIBLE_DEVICES=0,[5]" in text
        assert "rewarp verify isolation compares sources" in text


def test_terminal_of_a_bare_machine(tmp_path: Path) -> None:
    text = terminal(bare(tmp_path))
    assert "CPU only" in text
    assert "devices" not in text.split("torch")[0]


# --- the command -------------------------------------------------------------------------


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--json", "--no-torch", "--timeout", "5"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMA)
    assert cli.main(["doctor", "--no-torch", "--timeout", "5"]) == 0
    assert "what rewarp can verify here" in capsys.readouterr().out


@pytest.mark.parametrize("value", ["0", "-1", "nan", "1e9"])
def test_bad_time_limit(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", f"--timeout={value}"]) == 2
    assert "--timeout" in capsys.readouterr().err
