"""The engine: phases in order, one gate, nothing that breaks a file, nothing left to do for a second port."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import UNPROVED, git, part, plain, ported, repository

from rewarp.errors import RewarpError, UsageError
from rewarp.port import engine
from rewarp.port.changes import Change, Gate, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.engine import port
from rewarp.port.planning.phases import chosen
from rewarp.port.python.gate import find_gate, gate_for
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS

ROCM = TARGETS["rocm"]
TORCH_CODE = b"import torch\n\nif torch.cuda.get_device_capability() >= (8, 0):\n    FAST = True\n"


# --- the tree -------------------------------------------------------------------------------


def test_tree_lays_changes_over_the_disk(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.py": b"a", "b.py": b"b", "x/c.bin": b"\0"}))
    after = tree.with_changes(
        [
            Change("a.py", b"A", PortPhase.BUILD, ""),
            Change("b.py", None, PortPhase.BUILD, ""),
            Change("n.py", b"n", PortPhase.BUILD, ""),
        ]
    )
    assert after.paths() == ["a.py", "n.py", "x/c.bin"]
    assert [after.read(path) for path in ("a.py", "b.py", "n.py", "x/c.bin", "none")] == [b"A", None, b"n", b"\0", None]
    assert after.changes() == {"a.py": b"A", "b.py": None, "n.py": b"n"}
    assert tree.paths() == ["a.py", "b.py", "x/c.bin"]
    with after.as_folder() as folder:
        assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()) == after.paths()
    assert (tmp_path / "a.py").read_bytes() == b"a"


def test_tree_sees_what_git_sees(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitignore": b"build/\n", "a.py": b"a", "build/x.py": b"x"})
    (root / "link.py").symlink_to("a.py")
    (root / "loop").symlink_to(".")
    assert Tree(root).paths() == [".gitignore", "a.py"]
    assert Tree(root).read("build/x.py") is None
    assert Tree(root).read("link.py") is None


def test_other_repositories_are_not_ours(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"x.py": TORCH_CODE})
    root = repository(tmp_path / "r", {"a.py": b"a", "third/nested/b.py": b"b"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "third/sub")
    repository(root / "nested", {"y.py": TORCH_CODE})
    assert Tree(root).paths() == [".gitmodules", "a.py", "third/nested/b.py"]
    assert Tree(root).findings(ROCM) == []


def test_findings_are_of_the_changed_state(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.py": TORCH_CODE, "b.py": TORCH_CODE}))
    assert {finding.path for finding in tree.findings(ROCM)} == {"a.py", "b.py"}
    after = tree.with_changes(
        [Change("a.py", b"", PortPhase.BUILD, ""), Change("c.py", TORCH_CODE, PortPhase.BUILD, "")]
    )
    assert {finding.path for finding in after.findings(ROCM)} == {"b.py", "c.py"}


# --- the gate -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("IS = torch.version.hip is not None", False),
        ("IS: bool = torch.version.hip is not None", False),
        ("IS = bool(torch.version.hip)", False),
        ("IS = getattr(torch.version, 'hip', None) is not None", False),
        ("_hip = torch.version.hip\nIS = _hip is not None", False),
        ("IS = torch.cuda.is_available() and torch.version.hip is not None", False),
        ("IS = hasattr(torch.version, 'hip') and torch.version.hip is not None", False),
        ("def IS():\n    return torch.version.hip is not None", True),
        ("def IS() -> bool:\n    'On ROCm?'\n    return bool(torch.version.hip)", True),
        (
            "import functools\n@functools.lru_cache(maxsize=None)\ndef IS():\n    return torch.version.hip is not None",
            True,
        ),
    ],
)
def test_gate_of_the_project_is_found(tmp_path: Path, text: str, function: bool) -> None:
    files = {"src/pkg/__init__.py": b"", "src/pkg/u.py": b"import torch\n" + text.encode() + b"\n"}
    assert find_gate(Tree(plain(tmp_path, files))) == Gate("pkg.u", "src/pkg/u.py", "IS", function)


@pytest.mark.parametrize(
    "text",
    [
        "IS = torch.version.hip",
        "IS = torch.version.hip is None",
        "IS = torch.version.cuda is not None",
        "_hip = None\nif ASKED:\n    _hip = torch.version.hip\nIS = _hip is not None",
        "IS = torch.version.hip is not None or FORCED",
        "IS = enabled() and torch.version.hip is not None",
        "def IS(device):\n    return torch.version.hip is not None",
        "def IS():\n    print()\n    return torch.version.hip is not None",
        "@other\ndef IS():\n    return torch.version.hip is not None",
        "def outer():\n    IS = torch.version.hip is not None",
        "IS = (",
    ],
)
def test_what_is_no_gate(tmp_path: Path, text: str) -> None:
    files = {"pkg/__init__.py": b"", "pkg/u.py": b"import torch\n" + text.encode() + b"\n"}
    assert find_gate(Tree(plain(tmp_path, files))) is None


def test_gate_that_cannot_be_imported_or_is_a_tests_is_none(tmp_path: Path) -> None:
    text = b"import torch\nIS = torch.version.hip is not None\n"
    assert find_gate(Tree(plain(tmp_path / "a", {"script.py": text}))) is None
    assert (
        find_gate(
            Tree(plain(tmp_path / "b", {"pkg/__init__.py": b"", "pkg/tests/__init__.py": b"", "pkg/tests/u.py": text}))
        )
        is None
    )


def test_most_used_gate_wins(tmp_path: Path) -> None:
    gate = b"import torch\n%s = torch.version.hip is not None\n"
    files = {
        "pkg/__init__.py": b"",
        "pkg/a.py": gate % b"ON_AMD",
        "pkg/b.py": gate % b"IS_HIP",
        "pkg/c.py": b"from pkg.b import IS_HIP\n",
    }
    found = find_gate(Tree(plain(tmp_path, files)))
    assert found
    assert found.name == "IS_HIP"


def test_private_gate_serves_others_only_where_it_does_already(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": b"", "pkg/a.py": b"import torch\n_IS_HIP = torch.version.hip is not None\n"}
    assert find_gate(Tree(plain(tmp_path / "alone", files))) is None
    found = find_gate(Tree(plain(tmp_path / "shared", {**files, "pkg/c.py": b"from pkg.a import _IS_HIP\n"})))
    assert found
    assert found.name == "_IS_HIP"


def test_gate_is_made_only_when_a_change_asks_for_it(tmp_path: Path) -> None:
    root = plain(tmp_path, {"pkg/__init__.py": b"", "pkg/a.py": TORCH_CODE})
    gate = gate_for(Tree(root), ROCM)
    assert gate == Gate("pkg._rocm", "pkg/_rocm.py", "IS_ROCM")
    assert gate.path not in ported(root, part({"pkg/b.py": b"x = 1\n"})).after
    user = b"import torch\nfrom pkg._rocm import IS_ROCM\n"
    assert gate.path not in ported(root, part({"pkg/a.py": user, "pkg/b.py": user})).after, "two files spell it out"
    assert gate.path not in ported(root, part({f"pkg/{name}.py": b"IS_ROCM = 1\n" for name in "abc"})).after
    using = part({f"pkg/{name}.py": user for name in "abc"}, PortPhase.BUILD)
    done = ported(root, using)
    assert (
        done.after.read(gate.path)
        == b'"""Which platform this runs on."""\n\nimport torch\n\nIS_ROCM = torch.version.hip is not None\n'
    )
    assert [step.phase for step in done.steps] == [PortPhase.DETECTION, PortPhase.BUILD]
    early = ported(root, part({"new.txt": b"x"}, PortPhase.ENVIRONMENT), using)
    assert [len(step.changes) for step in early.steps] == [1, 1, 3], "the gate does not come before its phase"
    again = find_gate(done.after)
    assert again == gate


def test_no_gate_where_its_file_could_be_picked_up(tmp_path: Path) -> None:
    """A package that looks for its own files would load a new one: conditions then spell the test out."""
    files = {
        "pkg/__init__.py": b"import pkgutil\nfor m in pkgutil.iter_modules(__path__):\n    print(m)\n",
        "pkg/a.py": TORCH_CODE,
    }
    assert gate_for(Tree(plain(tmp_path, files)), ROCM) is None
    assert gate_for(Tree(plain(tmp_path / "scripts", {"a.py": TORCH_CODE})), ROCM) is None


# --- phases ---------------------------------------------------------------------------------


def test_later_phase_sees_and_keeps_what_the_earlier_one_did(tmp_path: Path) -> None:
    root = plain(tmp_path, {"a.txt": b"0"})

    def add(tail: bytes, phase: PortPhase):  # type: ignore[no-untyped-def]
        def run(tree: Tree, context: PortContext) -> PhaseResult:
            data = tree.read("a.txt") or b""
            return PhaseResult(
                [Change("a.txt", data + tail, phase, f"adds {tail!r}", (tail.decode(),))] if tail not in data else []
            )

        return run

    done = ported(root, add(b"L", PortPhase.LIBRARIES), add(b"B", PortPhase.BUILD), add(b"G", PortPhase.GRAPHS))
    assert done.after.read("a.txt") == b"0LBG"
    assert [(step.phase, step.changes[0].after) for step in done.steps] == [
        (PortPhase.LIBRARIES, b"0LB"),
        (PortPhase.GRAPHS, b"0LBG"),
    ]
    assert done.steps[0].changes[0].rules == ("B", "L")


def test_parts_run_until_nothing_changes(tmp_path: Path) -> None:
    root = plain(tmp_path, {"a.txt": b"0"})

    def once_more(tree: Tree, context: PortContext) -> PhaseResult:
        data = tree.read("a.txt") or b""
        manual = [Manual("a.txt", 1, PortPhase.BUILD, "count", "too short")] if len(data) < 3 else []
        return PhaseResult([Change("a.txt", data + b"0", PortPhase.BUILD, "grows")] if len(data) < 3 else [], manual)

    done = ported(root, once_more)
    assert done.after.read("a.txt") == b"000"
    assert done.manual == []


def test_phases_that_were_not_asked_for_do_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plain(tmp_path, {"a.txt": b"0", "b.txt": b"0"})

    def run(tree: Tree, context: PortContext) -> PhaseResult:
        return PhaseResult(
            [Change("a.txt", b"1", PortPhase.BUILD, ""), Change("b.txt", b"1", PortPhase.GRAPHS, "")],
            [Manual("a.txt", None, PortPhase.BUILD, "", "w"), Manual("b.txt", None, PortPhase.GRAPHS, "", "w")],
        )

    monkeypatch.setattr(engine, "parts_for", lambda target: {"x": run})
    done = port(Tree(root), ROCM, phases={PortPhase.BUILD})
    assert list(done.after.changes()) == ["a.txt"]
    assert [item.path for item in done.manual] == ["a.txt"]
    assert done.proof is None
    assert not done.done, "not checked is not proved"


def test_a_change_that_breaks_a_file_is_dropped_and_told(tmp_path: Path) -> None:
    root = plain(tmp_path, {"a.py": b"x = 1\n", "broken.py": b"x = (\n"})
    done = ported(root, part({"a.py": b"x = (\n", "broken.py": b"x = ((\n", "new.py": b"def\n"}))
    assert list(done.after.changes()) == ["broken.py"], "what did not parse before may stay so"
    assert {item.path for item in done.manual} == {"a.py", "new.py"}
    assert "did not parse" in done.manual[0].why


@pytest.mark.parametrize("path", ["../x", "/x", ".git/config", "a/../../x", "a//b", "./a", ""])
def test_no_part_writes_outside_the_tree(tmp_path: Path, path: str) -> None:
    with pytest.raises(RewarpError, match="outside the project"):
        ported(plain(tmp_path, {"a": b"0"}), part({path: b"x"}))


def test_phases_by_name_and_number() -> None:
    assert chosen(["3", "build, graphs"], []) == {PortPhase.ARCHITECTURE, PortPhase.BUILD, PortPhase.GRAPHS}
    assert chosen([], ["verification"]) == UNPROVED
    assert chosen(["source translation"], []) == {PortPhase.TRANSLATION}
    assert [phase.number for phase in PortPhase] == list(range(9))
    for only, skip in (["9"], []), ([], ["all"]), (["3"], ["3"]):
        with pytest.raises(UsageError):
            chosen(only, skip)


# --- the proof ------------------------------------------------------------------------------


GATED = b"import torch\nx = 1\nif torch.version.hip is not None:\n    x = 2\n"


def test_what_is_proved_to_change_nvidia_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plain(tmp_path, {"a.py": b"import torch\nx = 1\n", "b.py": b"import torch\nx = 1\n"})
    monkeypatch.setattr(
        engine, "parts_for", lambda target: {"x": part({"a.py": b"import torch\nx = 2\n", "b.py": GATED})}
    )
    done = port(Tree(root), ROCM)
    assert list(done.after.changes()) == ["b.py"]
    assert [(item.path, item.why.startswith("it would change NVIDIA's side")) for item in done.manual] == [
        ("a.py", True)
    ]
    assert done.proof
    assert done.proof.unproved == []
    assert not done.done


def test_what_cannot_be_proved_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plain(tmp_path, {"a.xyz": b"1\n", "b.py": b"import torch\nx = 1\n"})
    monkeypatch.setattr(engine, "parts_for", lambda target: {"x": part({"a.xyz": b"2\n", "b.py": GATED})})
    done = port(Tree(root), ROCM)
    assert done.proof
    assert [file.path for file in done.proof.unproved] == ["a.xyz"]
    assert not done.done
    monkeypatch.setattr(engine, "parts_for", lambda target: {"x": part({"b.py": GATED})})
    assert port(Tree(root), ROCM).done


def test_the_proof_goes_back_to_the_original_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ported in steps, the certificate covers them all."""
    root = plain(tmp_path, {"a.py": b"import torch\nx = 2\n"})
    monkeypatch.setattr(engine, "parts_for", lambda target: {})
    done = port(Tree(root), ROCM, original=Tree(root).holding({"a.py": b"import torch\nx = 1\n"}))
    assert done.proof
    assert [file.path for file in done.proof.unproved] == ["a.py"]


def test_whatever_stays_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\nGPUS=$(nvidia-smi -L | wc -l)\ntorchrun --nproc-per-node $GPUS t.py\n")
    found = port(Tree(tmp_path), TARGETS["rocm"])
    assert found.left
    assert {(finding.path, finding.rule) for finding in found.left} <= {(item.path, item.rule) for item in found.manual}
