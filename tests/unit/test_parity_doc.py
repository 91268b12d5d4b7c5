"""A parity document against the code: what is read as a claim, and what the code says to it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parity_parts import OK, TOY, E, P, U, parity, side, unit

from rewarp.cli import main
from rewarp.parity.claims.checking import Answer, Checked, Code, check
from rewarp.parity.claims.reading import State, claims, state_of
from rewarp.parity.comparing import compare as joining
from rewarp.parity.kernels import inventory
from rewarp.parity.scoring.scores import score
from rewarp.parity.units import Place, Problem, Status

pytestmark = pytest.mark.usefixtures("few_units_do")

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "parity-doc-1.json").read_text("utf-8"))
TRUE, FALSE, CANNOT_TELL = Answer.TRUE, Answer.FALSE, Answer.CANNOT_TELL


# --- reading ----------------------------------------------------------------------------


def said(text: str) -> list[tuple[int, tuple[str, ...], str | None, State | None]]:
    return [(claim.line, claim.names, claim.backend, claim.state) for claim in claims(text)]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("✅", State.DONE),
        ("✅ **DONE**", State.DONE),
        ("implemented", State.DONE),
        ("Yes", State.DONE),
        ("not implemented", State.MISSING),
        ("not yet supported", State.MISSING),
        ("❌", State.MISSING),
        ("no", State.MISSING),
        ("⏳", State.MISSING),
        ("unsupported", State.MISSING),
        ("partially implemented", State.PARTIAL),
        ("🚧 done soon", State.PARTIAL),
        ("⚠️ f32 only", State.PARTIAL),
        ("NO RocmStorage struct ⚠️ BLOCKER", State.MISSING),
        ("✅ (was missing)", State.DONE),
        ("shared kernel", None),
        ("notable", None),
        ("", None),
    ],
)
def test_states(text: str, state: State | None) -> None:
    assert state_of(text) is state


def test_a_table_with_a_column_for_each_side() -> None:
    text = (
        "| Op | CUDA | ROCm | Notes |\n|---|:-:|---|---|\n| `add` | ✅ | ❌ | done on Friday |\n| `a\\|b` | ✅ | | |\n"
    )
    assert said(text) == [
        (3, ("add",), "cuda", State.DONE),
        (3, ("add",), "rocm", State.MISSING),
        (4, ("a\\|b",), "cuda", State.DONE),
    ]


def test_a_status_column_that_repeats_a_side_says_it_once() -> None:
    text = "| Component | ROCm | Status |\n|--|--|--|\n| Pooling | ❌ | **MISSING** |\n| Sort | ✅ | missing tests |\n"
    assert said(text) == [
        (3, (), "rocm", State.MISSING),
        (4, (), "rocm", State.DONE),
        (4, (), None, State.MISSING),
    ]


def test_a_table_by_data_types() -> None:
    text = "## ROCm\n| Method | f32 | bf16 |\n|--|--|--|\n| `matmul` | ✅ | ❌ |\n"
    assert [(c.names, c.dtype, c.state, c.backend) for c in claims(text)] == [
        (("matmul",), "f32", State.DONE, "rocm"),
        (("matmul",), "bf16", State.MISSING, "rocm"),
    ]


def test_a_table_of_something_else_claims_nothing() -> None:
    assert claims("| Variable | Effect |\n|--|--|\n| `ROCM_PATH` | install root |\n") == []
    assert claims("| make target | what it runs |\n|--|--|\n| `check` | all done |\n") == []


def test_an_html_table() -> None:
    text = "x\n<table>\n<tr><th>Op</th><th>ROCm</th></tr>\n<tr><td><code>add</code></td><td>✅</td></tr>\n</table>\n"
    assert said(text) == [(4, ("add",), "rocm", State.DONE)]


def test_lists_under_a_heading_that_says_it() -> None:
    text = "### ❌ Not implemented\n- `conv2d` - uses im2col\n- `rope`\n\n### Notes\n- `sort` is fast\n"
    assert said(text) == [(2, ("conv2d",), None, State.MISSING), (3, ("rope",), None, State.MISSING)]


def test_the_line_before_a_list_says_more_than_its_heading() -> None:
    text = "### ❌ Missing CUDA parity\nCUDA implements:\n- `conv2d` - convolutions\n"
    assert said(text) == [(3, ("conv2d",), "cuda", State.DONE)]


def test_a_yardstick_is_not_the_one_spoken_of() -> None:
    assert said("### ❌ Missing CUDA parity\n- `conv2d`\n") == [(2, ("conv2d",), None, State.MISSING)]


def test_check_boxes_and_signs_need_no_backticks() -> None:
    found = claims("- [x] Pooling (2d)\n- [ ] `rope`\n- ✅ Casts - all\n")
    assert [(c.topic, c.names, c.state) for c in found] == [
        ("Pooling", (), State.DONE),
        ("rope", ("rope",), State.MISSING),
        ("Casts", (), State.DONE),
    ]


def test_sentences() -> None:
    assert said("On ROCm `conv2d` and `rope` are not yet implemented.") == [
        (1, ("conv2d", "rope"), "rocm", State.MISSING)
    ]
    assert said("Still missing: `sort`, `rope`.") == [(1, ("sort", "rope"), None, State.MISSING)]
    assert said("- `conv2d`: done") == [(1, ("conv2d",), None, State.DONE)]


def test_prose_about_a_name_is_no_claim() -> None:
    for text in (
        "`rocm_backend` is a mirror of `cuda_backend`, and a working device.",
        "a `bminimum` that dropped NaN handling, a `UNARY_OP` missing its in-place path",
        "implements only `metal_fwd`, so it errors on CUDA as well",
        "the full `hipcc --version` string",
    ):
        assert claims(text) == [], text


def test_code_blocks_claim_nothing() -> None:
    assert claims("```rust\n// MISSING: `Rocm` ✅ 95% parity\n- [x] a\n```\n~~~\n- ✅ b\n~~~\n") == []


def test_figures() -> None:
    found = claims("**Parity score: 5/17 (29%)**\n26 kernels, ~30 operations\n50 % faster\nRocm has 7 HIP kernels\n")
    assert [(c.line, c.percent, c.ratio, c.count, c.counted, c.backend) for c in found] == [
        (1, 29.0, None, None, "", None),
        (1, None, (5, 17), None, "", None),
        (2, None, None, 26, "kernels", None),
        (4, None, None, 7, "kernels", "rocm"),
    ]


def test_names_with_digits_are_no_counts() -> None:
    assert claims("the F8E4M3 kernels sit there, v1.2 methods too") == []


@given(st.text(alphabet="|-`#*✅❌ \n[x]a1%/<>table", max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    claims(text)


# --- checking ---------------------------------------------------------------------------

UNITS = (
    unit("add", OK, OK, owner="BackendStorage"),
    unit("add_id", OK, E, owner="BackendStorage"),
    unit("conv2d", OK, side(E, "bail!"), owner="BackendStorage"),
    unit("avg_pool2d", OK, OK, owner="BackendStorage"),
    unit("max_pool2d", OK, side(P, "not for f16"), owner="BackendStorage"),
    unit("unary_impl", OK, OK, owner="BackendStorage"),
    unit("rope", OK, U, owner="BackendStorage"),
    unit("upsample_nearest1d", E, E, owner="BackendStorage"),
    unit("upsample_nearest2d", OK, OK, owner="BackendStorage"),
    unit("copy", OK, Status.CPU_ONLY, owner="BackendStorage"),
    unit("cmp", P, P, owner="BackendStorage"),
    unit(
        "matmul",
        side(OK, "", (), {"f32": OK, "bf16": OK}),
        side(P, "", (), {"f32": OK, "bf16": E}),
        owner="BackendStorage",
    ),
    unit("cast", OK, side(OK, "", (), {"f32": OK, "bf16": OK}), owner="BackendStorage"),
)
KERNELS = {
    "rocm": inventory(
        {"rocm/k.hip": b'extern "C" __global__ void badd_f32() {}\nextern "C" __global__ void bsub_f32() {}'}, "rocm"
    ),
    "cuda": inventory(
        {"k.cu": b'extern "C" __global__ void badd_f32() {}\nextern "C" __global__ void bmul_f32() {}'}, "cuda"
    ),
}


def answers(text: str, *problems: Problem) -> list[Answer]:
    return [one.answer for one in checked(text, *problems)]


def checked(text: str, *problems: Problem) -> list[Checked]:
    return check(text, Code(parity(*UNITS, problems=problems), KERNELS, ["src/rocm.rs"]))


@pytest.mark.parametrize(
    ("name", "done", "partial", "missing"),
    [
        ("add", TRUE, CANNOT_TELL, FALSE),
        ("cast", TRUE, CANNOT_TELL, FALSE),
        ("conv2d", FALSE, FALSE, TRUE),
        ("max_pool2d", FALSE, TRUE, FALSE),
        ("copy", FALSE, FALSE, TRUE),
        ("rope", CANNOT_TELL, CANNOT_TELL, CANNOT_TELL),
        ("cmp", FALSE, TRUE, FALSE),
        ("upsample_nearest1d", FALSE, FALSE, TRUE),
        ("BackendStorage::add", TRUE, CANNOT_TELL, FALSE),
        ("Other::add", CANNOT_TELL, CANNOT_TELL, CANNOT_TELL),
        ("unary", TRUE, CANNOT_TELL, FALSE),
        ("nowhere", CANNOT_TELL, CANNOT_TELL, CANNOT_TELL),
        ("add, conv2d", FALSE, TRUE, FALSE),
        ("add, nowhere", CANNOT_TELL, CANNOT_TELL, FALSE),
        ("badd_f32", TRUE, CANNOT_TELL, FALSE),
        ("bmul_f32", FALSE, CANNOT_TELL, TRUE),
        ("b{}_f32", TRUE, CANNOT_TELL, FALSE),
    ],
)
def test_states_of_names(name: str, done: Answer, partial: Answer, missing: Answer) -> None:
    document = "".join(f"- {sign} `{name}`\n" for sign in "✅🚧❌")
    assert answers(document) == [done, partial, missing]


def test_what_the_leading_side_does_in_part_it_does() -> None:
    assert answers("| Op | CUDA |\n|--|--|\n| `cmp` | ✅ |\n| `conv2d` | ✅ |\n| `upsample_nearest1d` | ✅ |\n") == [
        TRUE,
        TRUE,
        FALSE,
    ]


@pytest.mark.parametrize(
    ("topic", "answer"),
    [
        ("Pooling operations", FALSE),
        ("Upsampling", TRUE),
        ("Convolution", FALSE),
        ("BackendStorage impl", FALSE),
        ("Unary ops", TRUE),
        ("add", TRUE),
        ("Device management", CANNOT_TELL),
        ("Storage slice enum", CANNOT_TELL),
    ],
)
def test_families(topic: str, answer: Answer) -> None:
    assert answers(f"| Component | ROCm |\n|--|--|\n| {topic} | ✅ |\n") == [answer]


def test_data_types() -> None:
    text = "| Op | f32 | bf16 | f64 |\n|--|--|--|--|\n| `matmul` | ✅ | ✅ | ❌ |\n| `add` | ✅ | | |\n"
    assert answers(text) == [TRUE, FALSE, TRUE, CANNOT_TELL]


def test_a_file_is_no_family_of_operations() -> None:
    assert answers("| Kernel | Status |\n|--|--|\n| conv.cu | ⏳ |\n") == [CANNOT_TELL]


def test_other_back_ends_were_not_compared() -> None:
    assert answers("| Op | Metal |\n|--|--|\n| `add` | ✅ |\n") == [CANNOT_TELL]


def test_percentages() -> None:
    share = score(parity(*UNITS)).lowest
    assert share is not None
    assert share.share is not None
    real = round(float(share.share * 100))
    assert answers(f"Parity: {real} %") == [TRUE]
    assert answers(f"Parity: {real + 5} %") == [FALSE]
    assert answers("95 % parity with CUDA") == [FALSE]


def test_no_score_no_percentage() -> None:
    broken = Problem("src/rocm.rs", 12, "does not parse", True)
    (one,) = checked("Parity: 95 %", broken)
    assert one.answer is FALSE
    assert "src/rocm.rs:12: does not parse" in one.why
    # What does not parse takes the certainty of what is done with it, not of what ends in an error.
    assert answers("- ✅ `add`\n- ✅ `conv2d`\n- ❌ `conv2d`\n", broken) == [CANNOT_TELL, FALSE, TRUE]


def test_a_ratio_against_the_table_before_it() -> None:
    table = "| Op | ROCm |\n|--|--|\n| `add` | ✅ |\n| `conv2d` | ❌ |\n"
    assert answers(f"{table}\nParity score: 1/3\n")[-1] is FALSE
    assert answers("Implemented ops: 5/12\n") == [TRUE]
    assert answers("Implemented ops: 9/12\n") == [FALSE]
    assert answers("Implemented ops: 9/99\n") == [CANNOT_TELL]


def test_counts() -> None:
    assert answers("ROCm has 2 kernels") == [TRUE]
    assert answers("ROCm has 26 kernels") == [FALSE]
    assert answers("ROCm has 1000 methods") == [FALSE]
    assert answers("ROCm has 3 methods") == [CANNOT_TELL]


def test_files() -> None:
    assert answers("- ✅ `src/gone.rs` - created\n- ✅ `src/rocm.rs` - created\n") == [FALSE, CANNOT_TELL]


def test_a_claim_carries_its_place_and_evidence() -> None:
    place = Place("src/rocm.rs", 3, "fn add")
    (one,) = check("\n- ✅ `add`\n", Code(parity(unit("add", OK, side(OK, "kernel", (place,)))), {}, []))
    assert (one.claim.line, one.evidence) == (2, (place,))


# --- the command ------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(joining, "LANGUAGES", (TOY,))
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "ops.toy").write_text("add IMPLEMENTED IMPLEMENTED\nconv IMPLEMENTED ERROR\n")
    return folder


@pytest.mark.parametrize(
    ("text", "code"),
    [("- ✅ `add`\n", 0), ("- ✅ `add`\n- ✅ `conv`\n", 1), ("nothing claimed\n", 2), ("- ✅ `unknown_thing`\n", 2)],
)
def test_exit_codes(tree: Path, tmp_path: Path, text: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "PARITY.md"
    file.write_text(text)
    assert main(["parity", "check-doc", str(file), str(tree)]) == code
    assert "claims about cuda and rocm" in capsys.readouterr().out
    assert main(["parity", "check-doc", str(file), str(tree), "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    assert sum(found["counts"].values()) == len(found["claims"])


def test_a_document_of_the_tree(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "PARITY.md").write_text("- ❌ `conv`\n")
    assert main(["parity", "check-doc", "PARITY.md", str(tree)]) == 0
    assert "PARITY.md:1: true" in capsys.readouterr().out


@pytest.mark.parametrize("content", [None, b"\0\1"])
def test_a_document_that_cannot_be_read(tree: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]) -> None:
    if content is not None:
        (tree / "bad.md").write_bytes(content)
    assert main(["parity", "check-doc", "bad.md", str(tree)]) == 2
    assert "bad.md" in capsys.readouterr().err


def test_a_document_in_a_broken_encoding_is_read(tree: Path) -> None:
    (tree / "latin.md").write_bytes(b"caf\xe9\n- [x] `add`\n")
    assert main(["parity", "check-doc", "latin.md", str(tree)]) == 0
