"""What commands write as JSON is what their schemas say, and what is broken is not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from test_numbers_golden import recording
from test_parity_flow import FILES

from rewarp.cli import main
from rewarp.edits import Safety
from rewarp.findings import Effort, Finding, Phase, Severity
from rewarp.report import program, recorded
from rewarp.report.documents.schemas import SCHEMAS
from rewarp.run.results import Alarm, Difference, Ended, Kernel, NotBuilt, ProgramResult, Ran, Records, Step
from rewarp.toolchain import Diagnostic
from rewarp.toolchain.diagnostics import Severity as Grade
from rewarp.toolchain.header_libraries import LIBRARIES, Found
from rewarp.verify.numbers import Recorded

TREE = Path(__file__).parents[2]
CASES = TREE / "tests" / "cases"


def fits(document: Any, name: str) -> bool:
    schema = json.loads((SCHEMAS / f"{name}-1.json").read_text("utf-8"))
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


def is_held(document: Any, name: str) -> bool:
    """Whether it fits, and would not with a key more or a key less."""
    less = [{key: value for key, value in document.items() if key != one} for one in document]
    changed = [{**document, "more": 1}, *less]
    return fits(document, name) and not any(fits(one, name) for one in changed)


def changed(document: Any, value: Any, *place: str | int) -> Any:
    made = inner = copy.deepcopy(document)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made


@pytest.fixture
def said(capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    def ask(*words: object) -> Any:
        main([*map(str, words), "--json"])
        return json.loads(capfdbinary.readouterr().out)

    return ask


@pytest.mark.parametrize("tree", [TREE / "examples", CASES / "WAV-001", CASES / "WAV-010"], ids=lambda tree: tree.name)
def test_waves(tree: Path, said: Any) -> None:
    found = said("waves", tree)
    assert found["files"]
    assert is_held(found, "waves")
    assert not fits(changed(found, "somehow", "files", 0, "way"), "waves")
    assert not fits(changed(found, {"MASK_32": 1}, "summary", "hazards_by_kind"), "waves")


@pytest.mark.parametrize(
    "more",
    [
        ("mi300x",),
        ("mi300x", "--set", "vllm.kv_cache_dtype=fp8"),
        ("gaudi3",),
        ("mi300x", "--set", "lmcache.version=9"),
    ],
)
def test_bridge_check(more: tuple[str, ...], said: Any) -> None:
    found = said("bridge", "check", "h100", *more)
    assert is_held(found, "bridge-check")
    assert not fits(changed(found, 1, "a", "vllm", "more"), "bridge-check")
    assert not fits(changed(found, "fine", "crossings", 0, "verdict"), "bridge-check")


def test_bridge_matrix(said: Any) -> None:
    found = said("bridge", "matrix")
    assert is_held(found, "bridge-matrix")
    assert not fits(changed(found, {"h100": {"h100": {}}}, "tables", 0, "rows"), "bridge-matrix")


@pytest.mark.parametrize("entry", ["cuda_op_scale", "cuda_loop", "MY_OP_SCALE"])
def test_parity_flow(entry: str, tmp_path: Path, said: Any) -> None:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    found = said("parity", "flow", entry, tmp_path, "--a", "cuda", "--b", "metal")
    assert is_held(found, "parity-flow")
    assert not fits(changed(found, "sure", "a", "flow", "edge"), "parity-flow")


def test_explain(said: Any) -> None:
    rules = said("explain", "--no-plugins")
    assert len(rules) > 100
    assert fits(rules, "explain")
    assert not fits([*rules, {}], "explain")
    for name in ("PY-VER-001", "RUN-201"):
        assert is_held(said("explain", name), "explain")


def test_skill(tmp_path: Path, said: Any) -> None:
    assert is_held(said("skill"), "skill")
    for more in (["--check"], [], ["--check"]):
        assert is_held(said("skill", "--to", tmp_path, *more), "skill")


def test_what_was_recorded() -> None:
    found = recorded.document(Recorded(Path("golden.safetensors"), 9, recording()))
    assert is_held(found, "recorded")
    assert not fits(changed(found, "some", "weights"), "recorded")


FINDING = Finding(
    "CU-001", "a.cu", 0, 1, 1, 1, 1, 2, Severity.BUILD, Phase.TRANSLATION, Effort.HOURS, Safety.NONE, "what", "do"
)


def test_a_program_that_ran(tmp_path: Path) -> None:
    other = {"file": "a.cu", "line": 2, "does": "wrote", "group": [0, 0, 0], "wave": 1, "instruction": "ds_write_b32"}
    race = Alarm("lds-race", "a race", "k", "a.cu", 3, "ds_read_b32", (0, 0, 0), 2, 0, other, count=128)
    records = Records(
        kernels=(Kernel("k", 1, 0.5, 4),),
        alarms=(race, Alarm("deadlock", "it waits", is_remark=True)),
        unsupported=(("k", "v_strange"),),
        host=(("hipblas", "hipblasSgemm", 2),),
        missing=("hipNothing",),
        limits=("too much shared memory",),
        damaged=1,
    )
    runs = (Ran("gfx942", None, Ended(0, 1.5), records), Ran("gfx942", 1, Ended(None, 2.0, timed_out=True)))
    differences = (Difference("gfx942", "gfx942, order 1", "line 1"),)
    libraries = (Found(LIBRARIES[0], tmp_path),)
    (tmp_path / LIBRARIES[0].sign).parent.mkdir()
    (tmp_path / LIBRARIES[0].sign).write_text("")
    result = ProgramResult("machine", True, runs, differences, (FINDING,), ("left out",), {"kind": "wheels"}, libraries)
    found = json.loads(program.render_json(result, [Path("a.cu")]))
    assert is_held(found, "run")
    assert not fits(changed(found, "cloud", "on"), "run")
    assert not fits(changed(found, None, "runs", 0, "alarms", 0, "line"), "run")


def test_a_program_that_was_not_built() -> None:
    errors = [Diagnostic("a.cu", 1, 2, Grade.ERROR, "no"), Diagnostic(None, None, None, Grade.ERROR, "no such option")]
    found = json.loads(program.render_failure(NotBuilt(Step.DEVICE, "no", errors, [FINDING]), [Path("a.cu")]))
    assert is_held(found, "run")
    assert not fits(changed(found, "thinking", "failed"), "run")
