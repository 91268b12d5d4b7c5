"""The vendored helper as a port adds it: cut to what is used, put where it can be imported, invisible to NVIDIA."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from rewarp import runtime, targets
from rewarp.port.changes import PhaseResult, PortContext, PortPhase
from rewarp.port.python.helper import HelperPlace, helper_place, run
from rewarp.port.tree import Tree
from rewarp.verify.isolation.certificate import certify
from rewarp.verify.isolation.file_verdict import IsolationVerdict

CONTEXT = PortContext(targets.ROCM)
PUBLIC = (
    "IS_ROCM is_rocm gfx_arch wave_size fp8_dtypes attention last_attention_tier safe_compile graph_capture "
    "synchronize_stream device_telemetry flash_attn_func flash_attn_kvpacked_func flash_attn_qkvpacked_func "
    "flash_attn_varlen_func flash_attn_varlen_kvpacked_func flash_attn_varlen_qkvpacked_func "
    "NVMLError NVML_CLOCK_GRAPHICS NVML_CLOCK_MEM NVML_CLOCK_SM NVML_TEMPERATURE_GPU nvmlDeviceGetClockInfo "
    "nvmlDeviceGetCount nvmlDeviceGetHandleByIndex nvmlDeviceGetMemoryInfo nvmlDeviceGetName nvmlDeviceGetPowerUsage "
    "nvmlDeviceGetTemperature nvmlDeviceGetUUID nvmlDeviceGetUtilizationRates nvmlInit nvmlShutdown "
    "nvmlSystemGetDriverVersion"
).split()


def tree(root: Path, files: dict[str, str | bytes]) -> Tree:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Tree(root)


def defined(data: bytes | None) -> set[str]:
    assert data is not None
    return {node.name for node in ast.parse(data).body if isinstance(node, ast.FunctionDef)}


def only_change(result: PhaseResult) -> tuple[str, bytes]:
    assert result.manual == []
    (change,) = result.changes
    assert change.after is not None
    return change.path, change.after


# --- cutting ---------------------------------------------------------------------------------


def test_the_public_names() -> None:
    assert set(runtime.public_names()) == set(PUBLIC)


def test_every_cut_is_whole_and_has_nothing_to_spare(tmp_path: Path) -> None:
    """Nothing undefined, no import unused, formatted; and each private function in it is called there."""
    cuts = [[name] for name in runtime.public_names()] + [runtime.public_names()]
    for number, names in enumerate(cuts):
        data = runtime.helper(names)
        (tmp_path / f"cut{number}.py").write_bytes(data)
        private = {name for name in defined(data) if name.startswith("_")}
        text = data.decode()
        assert all(text.count(name) > 1 for name in private)
        assert set(names) <= runtime.provided(data)
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--select", "F"], ["format", "--check", "--line-length", "120"]):
        done = subprocess.run([*ruff, *command, "--isolated", str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_gate_alone_is_three_lines() -> None:
    tree = ast.parse(runtime.helper(["IS_ROCM"]))
    statements = [ast.unparse(node) for node in tree.body[1:]]
    assert statements == [
        "from __future__ import annotations",
        "import torch",
        "IS_ROCM = torch.version.hip is not None",
    ]


def test_fp8_brings_no_attention() -> None:
    assert defined(runtime.helper(["fp8_dtypes"])) == {"fp8_dtypes", "gfx_arch", "_gpu_properties"}


@pytest.mark.parametrize("names", [[], ["attention", "nonsense"], ["_attend"], ["torch"]])
def test_what_is_not_there_cannot_be_cut_out(names: list[str]) -> None:
    with pytest.raises(ValueError, match="no"):
        runtime.helper(names)


def test_it_says_where_it_is_from_and_whether_it_was_changed() -> None:
    data = runtime.helper(["wave_size"])
    assert data.startswith(b"# Vendored from rewarp ")
    assert runtime.is_untouched(data)
    assert runtime.is_untouched(data.replace(b"\n", b"\r\n").replace(b"\r\n", b"\n", 3))
    assert not runtime.is_untouched(data.replace(b"64", b"32"))
    assert not runtime.is_untouched(data + b"\n")
    assert not runtime.is_untouched(b"")
    assert runtime.provided(b"def (") == frozenset()


# --- where it goes -----------------------------------------------------------------------------

FILES = {
    "src/pkg/__init__.py": "",
    "src/pkg/a.py": "",
    "src/pkg/sub/__init__.py": "",
    "src/pkg/sub/b.py": "",
    "src/pkg/sub/c.py": "",
    "src/pkg/data/d.py": "",
    "other/__init__.py": "",
    "other/e.py": "",
    "train.py": "from pkg import a\n",
    "bench.py": "import pkgs\n",
    "tools/x.py": "",
    "bare/ops/attention.py": "from .base import x\n",
    "bare/main.py": "import os\nfrom bare.ops.attention import y\n",
}


@pytest.mark.parametrize(
    ("users", "path", "module"),
    [
        (["src/pkg/a.py"], "src/pkg/rewarp_runtime.py", "pkg.rewarp_runtime"),
        (["src/pkg/sub/b.py", "src/pkg/sub/c.py"], "src/pkg/sub/rewarp_runtime.py", "pkg.sub.rewarp_runtime"),
        (["src/pkg/sub/b.py", "src/pkg/a.py"], "src/pkg/rewarp_runtime.py", "pkg.rewarp_runtime"),
        (["src/pkg/sub/b.py", "train.py"], "src/pkg/sub/rewarp_runtime.py", "pkg.sub.rewarp_runtime"),
        (["train.py", "bench.py"], "rewarp_runtime.py", "rewarp_runtime"),
        (["tools/x.py"], "tools/rewarp_runtime.py", "rewarp_runtime"),
        (["train.py", "tools/x.py"], "rewarp_runtime.py", "rewarp_runtime"),
        (["bare/ops/attention.py"], "bare/ops/rewarp_runtime.py", "bare.ops.rewarp_runtime"),
        (["bare/ops/attention.py", "bare/main.py"], "bare/rewarp_runtime.py", "bare.rewarp_runtime"),
    ],
)
def test_the_place_serves_all_users(tmp_path: Path, users: list[str], path: str, module: str) -> None:
    assert helper_place(tree(tmp_path, dict(FILES)), users) == HelperPlace(path, module)


@pytest.mark.parametrize(
    "users",
    [
        ["src/pkg/a.py", "bench.py"],
        ["train.py", "a/x.py", "b/x.py", "c/x.py"],
        ["other/e.py", "src/pkg/a.py"],
        [],
    ],
)
def test_no_place_where_one_could_not_import_it(tmp_path: Path, users: list[str]) -> None:
    assert helper_place(tree(tmp_path, dict(FILES)), users) is None


@pytest.mark.parametrize(
    ("user", "data", "module"),
    [
        ("pkg/sub/a.py", b"import torch\n", "pkg.rewarp_runtime"),
        ("pkg/sub/a.py", b"import torch\nfrom .b import c\n", "..rewarp_runtime"),
        ("tests/a.py", b"from .b import c\n", "pkg.rewarp_runtime"),
    ],
)
def test_whatever_the_import_says_the_helper_comes_to_it(tmp_path: Path, user: str, data: bytes, module: str) -> None:
    where = HelperPlace("pkg/rewarp_runtime.py", "pkg.rewarp_runtime")
    line = f"from {module} import IS_ROCM\n".encode()
    files: dict[str, str | bytes] = {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", user: data + line}
    assert only_change(run(tree(tmp_path, files), CONTEXT))[0] == where.path


# --- what is needed ------------------------------------------------------------------------------


def test_scripts_in_two_folders_get_one_each(tmp_path: Path) -> None:
    text = b"from rewarp_runtime import nvmlInit\n"
    result = run(tree(tmp_path, {"a/run.py": text.decode(), "b/run.py": text.decode()}), CONTEXT)
    assert [change.path for change in result.changes] == ["a/rewarp_runtime.py", "b/rewarp_runtime.py"]


def test_a_project_that_needs_none_gets_none(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/a.py": "import torch\n# rewarp_runtime\nx = 'rewarp_runtime'\n"}
    result = run(tree(tmp_path, dict(files)), CONTEXT)
    assert (result.changes, result.manual) == ([], [])


@pytest.mark.parametrize(
    ("file", "line", "path"),
    [
        ("pkg/sub/a.py", "from pkg.rewarp_runtime import wave_size", "pkg/rewarp_runtime.py"),
        ("pkg/sub/a.py", "from ..rewarp_runtime import wave_size", "pkg/rewarp_runtime.py"),
        ("pkg/sub/a.py", "from .rewarp_runtime import wave_size as w", "pkg/sub/rewarp_runtime.py"),
        ("pkg/sub/a.py", "from .. import rewarp_runtime\nrewarp_runtime.wave_size(0)", "pkg/rewarp_runtime.py"),
        ("pkg/sub/a.py", "import pkg.rewarp_runtime\npkg.rewarp_runtime.wave_size(0)", "pkg/rewarp_runtime.py"),
        ("pkg/sub/a.py", "import pkg.rewarp_runtime as r\nr.wave_size(0)", "pkg/rewarp_runtime.py"),
        ("train.py", "if 1:\n    from rewarp_runtime import wave_size", "rewarp_runtime.py"),
        ("tests/t.py", "def f():\n    from pkg.rewarp_runtime import wave_size", "pkg/rewarp_runtime.py"),
        ("src/own/a.py", "from own.rewarp_runtime import wave_size", "src/own/rewarp_runtime.py"),
        ("tests/t.py", "from own.rewarp_runtime import wave_size", "src/own/rewarp_runtime.py"),
    ],
)
def test_every_way_to_import_it_is_seen(tmp_path: Path, file: str, line: str, path: str) -> None:
    files = {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "src/own/__init__.py": "", file: line + "\n"}
    found, data = only_change(run(tree(tmp_path, dict(files)), CONTEXT))
    assert (found, data) == (path, runtime.helper(["wave_size"]))


def test_a_second_run_changes_nothing_and_a_later_need_is_added(tmp_path: Path) -> None:
    project = tree(tmp_path, {"a.py": "from rewarp_runtime import IS_ROCM\n"})
    first = run(project, CONTEXT)
    project = project.with_changes(first.changes)
    assert run(project, CONTEXT) == PhaseResult()
    (tmp_path / "b.py").write_text("from rewarp_runtime import safe_compile, fp8_dtypes\n")
    project = Tree(tmp_path).with_changes(first.changes)
    second = run(project, CONTEXT)
    assert "IS_ROCM" not in second.changes[0].why
    assert only_change(second)[1] == runtime.helper(["IS_ROCM", "fp8_dtypes", "safe_compile"])
    assert run(project.with_changes(second.changes), CONTEXT) == PhaseResult()


@pytest.mark.parametrize(
    ("asked_for", "phase"),
    [
        (list(PortPhase), PortPhase.DETECTION),
        ([PortPhase.GRAPHS, PortPhase.LIBRARIES], PortPhase.LIBRARIES),
        ([PortPhase.ENVIRONMENT], PortPhase.ENVIRONMENT),
    ],
)
def test_it_is_there_before_anything_imports_it(tmp_path: Path, asked_for: list[PortPhase], phase: PortPhase) -> None:
    """In a branch with one commit per phase, and where only some phases are asked for."""
    project = tree(tmp_path, {"a.py": "from rewarp_runtime import safe_compile\n"})
    (change,) = run(project, PortContext(targets.ROCM, phases=frozenset(asked_for))).changes
    assert change.phase is phase


def test_a_helper_that_somebody_changed_is_left_alone(tmp_path: Path) -> None:
    changed = runtime.helper(["IS_ROCM"]) + b"\nMINE = 1\n"
    files = {"a.py": "from rewarp_runtime import IS_ROCM, wave_size\n", "rewarp_runtime.py": changed}
    result = run(tree(tmp_path, dict(files)), CONTEXT)
    assert result.changes == []
    (manual,) = result.manual
    assert (manual.path, manual.what) == ("rewarp_runtime.py", "rewarp_runtime lacks wave_size")
    enough = run(tree(tmp_path, {"a.py": "from rewarp_runtime import IS_ROCM, MINE\n"}), CONTEXT)
    assert (enough.changes, [one.what for one in enough.manual]) == ([], [])


def test_a_helper_of_another_version_with_all_that_is_needed_stays(tmp_path: Path) -> None:
    older = runtime.helper(["IS_ROCM"]).replace(b"rewarp 0", b"rewarp 9", 1)
    files = {"a.py": "from rewarp_runtime import IS_ROCM\n", "rewarp_runtime.py": older}
    assert run(tree(tmp_path, dict(files)), CONTEXT) == PhaseResult()


def test_a_name_the_helper_does_not_have_is_left_to_a_person(tmp_path: Path) -> None:
    result = run(tree(tmp_path, {"a.py": "import os\nfrom rewarp_runtime import IS_ROCM, faster\n"}), CONTEXT)
    assert [(one.path, one.line, one.what) for one in result.manual] == [
        ("a.py", 2, "imports faster from rewarp_runtime")
    ]
    assert result.changes[0].after == runtime.helper(["IS_ROCM"])


@pytest.mark.parametrize("data", [b"from rewarp_runtime import (\n", b"\xff\xfe rewarp_runtime", b"rewarp_runtime\0"])
def test_files_that_are_no_python_do_not_stop_it(tmp_path: Path, data: bytes) -> None:
    project = tree(tmp_path, {"broken.py": data, "a.py": "from rewarp_runtime import is_rocm\n"})
    assert only_change(run(project, CONTEXT))[1] == runtime.helper(["is_rocm"])


# --- NVIDIA ---------------------------------------------------------------------------------------


def test_an_nvidia_user_cannot_tell_that_it_is_there(tmp_path: Path) -> None:
    before = "import torch\nfrom flash_attn import flash_attn_func\n\ndef f(q):\n    return flash_attn_func(q, q, q)\n"
    names = ", ".join(runtime.public_names())
    after = before.replace(
        "from flash_attn import flash_attn_func",
        f"from .rewarp_runtime import IS_ROCM\nif IS_ROCM:\n    from .rewarp_runtime import {names}\n"
        "else:\n    from flash_attn import flash_attn_func",
    )
    tree(tmp_path / "old", {"pkg/__init__.py": "", "pkg/a.py": before})
    project = tree(tmp_path / "new", {"pkg/__init__.py": "", "pkg/a.py": after})
    path, data = only_change(run(project, CONTEXT))
    (tmp_path / "new" / path).write_bytes(data)
    certificate = certify(str(tmp_path / "old"), str(tmp_path / "new"), tmp_path)
    assert certificate.verdict is IsolationVerdict.IDENTICAL
    assert {file.path for file in certificate.files} == {"pkg/a.py", "pkg/rewarp_runtime.py"}
    # the same with a side effect in the helper is not proved: the check is no formality
    (tmp_path / "new" / path).write_bytes(data + b"\n\ntorch.manual_seed(0)\n")
    assert certify(str(tmp_path / "old"), str(tmp_path / "new"), tmp_path).verdict is not IsolationVerdict.IDENTICAL
