"""Waivers hold for one gap, until a day, and only while the code behind it stays as it is."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from parity_parts import OK, E, M, MemoryTree, P, parity, side, unit

from rewarp.errors import UsageError
from rewarp.parity.scoring import waivers
from rewarp.parity.scoring.result import judged
from rewarp.parity.scoring.waivers import Waiver, fingerprints
from rewarp.parity.units import Place, Unit

TODAY = datetime.date(2026, 6, 1)
CODE = b"""impl Backend for RocmStorage {
    fn conv2d(&self) -> Result<()> {
        bail!("no conv2d")
    }

    fn add(&self) {}
}
"""
GAP = unit("conv2d", b=side(E, "", (Place("rocm.rs", 2),)))


def code_of(data: bytes, gap: Unit = GAP) -> str:
    return fingerprints([gap], MemoryTree({"rocm.rs": data, "cuda.rs": CODE}))[gap.key]


def waiver(**changes: object) -> Waiver:
    values = {
        "unit": GAP.key,
        "reason": "nobody asks",
        "owner": "ada",
        "expires": datetime.date(2026, 6, 1),
        "code": code_of(CODE),
    }
    return Waiver(**{**values, **changes})  # type: ignore[arg-type]


def checked(excuse: Waiver, data: bytes = CODE, gap: Unit = GAP) -> tuple[int, list[str]]:
    found = judged(parity(gap, unit("add")), MemoryTree({"rocm.rs": data}), excuses=[excuse], today=TODAY)
    assert len(found.waivers.held) == len([one for kind in found.scores.kinds for one in kind.waived])
    assert len(found.scores.gaps) + len(found.waivers.held) == (gap is GAP)
    return len(found.waivers.held), [why for _, why in found.waivers.void]


def test_holds_on_its_last_day_and_not_after() -> None:
    assert checked(waiver()) == (1, [])
    assert checked(waiver(expires=datetime.date(2026, 5, 31))) == (0, ["expired on 2026-05-31"])


def test_changed_code_ends_it() -> None:
    held, (why,) = checked(waiver(), CODE.replace(b"no conv2d", b"still no conv2d"))
    assert held == 0
    assert why.startswith("the code it excuses has changed")


def test_a_unit_without_a_gap() -> None:
    assert checked(waiver(unit="trait method:Backend::sub"))[1] == ["there is no such gap (any more)"]
    assert checked(waiver(), gap=unit("conv2d"))[1] == ["there is no such gap (any more)"]


def test_what_the_fingerprint_sees() -> None:
    same = (
        CODE.replace(b"fn add(&self) {}", b"fn add(&self) { other() }"),
        b"\n\n// new lines above\n" + CODE,
        CODE.replace(b"        bail", b"            bail"),
    )
    assert code_of(CODE) == code_of(same[0])
    assert code_of(CODE) == code_of(same[1], unit("conv2d", b=side(E, "", (Place("rocm.rs", 5),))))
    assert code_of(CODE) == code_of(same[2]), "indentation is no change"
    assert code_of(CODE) != code_of(CODE, unit("conv2d", b=side(M, "", (Place("rocm.rs", 2),)))), "it got worse"
    worse = side(E, "", (Place("rocm.rs", 2),), {"f32": E})
    assert code_of(CODE) != code_of(CODE, unit("conv2d", b=worse))


def test_the_body_belongs_to_a_signature_of_many_lines() -> None:
    code = b"fn conv2d(\n    &self,\n) -> Result<()> {\n    bail!(1)\n}\nfn next() {\n    one()\n}\n"
    gap = unit("conv2d", b=side(E, "", (Place("rocm.rs", 1),)))
    assert code_of(code, gap) != code_of(code.replace(b"bail!(1)", b"bail!(2)"), gap)
    assert code_of(code, gap) != code_of(code.replace(b"&self", b"self"), gap)
    assert code_of(code, gap) == code_of(code.replace(b"one()", b"two()"), gap)
    assert code_of(code, gap) != code_of(code.replace(b"fn conv2d", b"pub fn conv2d"), gap)


def test_where_b_has_nothing_the_code_is_that_of_a() -> None:
    gap = unit("conv2d", side(OK, "", (Place("cuda.rs", 2),)), M)
    files = {"cuda.rs": CODE, "rocm.rs": b""}
    before = fingerprints([gap], MemoryTree(files))
    after = fingerprints([gap], MemoryTree({**files, "cuda.rs": CODE.replace(b"no conv2d", b"more")}))
    assert before != after


def test_files_that_went_away_and_lines_past_the_end() -> None:
    gap = unit("x", b=side(P, "", (Place("gone.rs", 3, "text"), Place("rocm.rs", 999, "text"))))
    assert len(code_of(CODE, gap)) == 16


FULL = '[[waiver]]\nunit = "k:o::n"\nreason = "r"\nowner = "o"\nexpires = 2027-01-31\ncode = "c"\n'


def test_reading(tmp_path: Path) -> None:
    file = tmp_path / "waivers.toml"
    file.write_text(FULL)
    assert waivers.read(file) == [Waiver("k:o::n", "r", "o", datetime.date(2027, 1, 31), "c")]
    file.write_text("")
    assert waivers.read(file) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (FULL.replace('owner = "o"\n', ""), "must say code, expires, owner, reason, unit"),
        (FULL.replace('"r"', '" "'), "reason must be a text"),
        (FULL.replace("2027-01-31", '"2027-01-31"'), "expires must be a date"),
        (FULL.replace("2027-01-31", "2027-01-31T10:00:00Z"), "expires must be a date"),
        (FULL + "forever = true\n", "and nothing else"),
        ("waiver = 3\n", r"\[\[waiver\]\] tables"),
        ("[waivers]\n", r"\[\[waiver\]\] tables"),
        ("[[waiver]\n", "is not TOML"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "waivers.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=why):
        waivers.read(file)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the waivers"):
        waivers.read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="is not TOML"):
        waivers.read(tmp_path / "binary.toml")
