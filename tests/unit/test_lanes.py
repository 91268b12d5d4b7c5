"""Kernels with lane-width hazards, run lane by lane: right on 32, wrong on 64, and right on both once they are fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from lane_simulator import LaneProgram, LaneRun, Platform, Program, RunOutcome, Waves, Workshop
from lanes.case import CASES, WITHOUT_FIX, Case, fixed_by_rewarp
from rewarp import waves

NVIDIA = Waves(Platform.NVIDIA, 32)
CDNA = Waves(Platform.AMD, 64)
RDNA = Waves(Platform.AMD, 32)
HEADER = Path(waves.__file__).parent / "support"

hazards = [case for case in CASES.values() if case.fixed]
by_name = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
hazards_by_name = pytest.mark.parametrize("case", hazards, ids=lambda case: case.name)


@dataclass(frozen=True)
class Bench:
    nvidia: Program
    cdna: Program
    rdna: Program
    refused: Mapping[str, LaneRun]
    """Units that do not compile."""

    def run(self, where: str, *, checked: bool = True) -> Mapping[str, LaneRun]:
        return {**getattr(self, where).run(checked_masks=checked), **self.refused}


def units() -> Iterator[LaneProgram]:
    for case in CASES.values():
        yield case.unit("original", case.original)
        if case.fixed:
            yield case.unit("fixed", case.fixed)
            ours = fixed_by_rewarp(case)
            if ours is not None:
                yield case.unit("rewarp", ours)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    workshop = Workshop(tmp_path_factory.mktemp("lanes"))
    every: Sequence[LaneProgram] = list(units())
    options = (f"-I{HEADER}",)
    nvidia, refused_nvidia = workshop.build_what_compiles(every, NVIDIA, options=options)
    cdna, refused = workshop.build_what_compiles(every, CDNA, options=options)
    later = [unit for unit in every if not unit.name.endswith("__original")]
    rdna, _ = workshop.build_what_compiles(later, RDNA, options=options)
    return Bench(nvidia, cdna, rdna, {**refused, **refused_nvidia})


@pytest.fixture(scope="module")
def on_nvidia(bench: Bench) -> Mapping[str, LaneRun]:
    return bench.run("nvidia")


@pytest.fixture(scope="module")
def on_cdna(bench: Bench) -> Mapping[str, LaneRun]:
    return bench.run("cdna")


@pytest.fixture(scope="module")
def on_cdna_unchecked(bench: Bench) -> Mapping[str, LaneRun]:
    return bench.run("cdna", checked=False)


@pytest.fixture(scope="module")
def on_rdna(bench: Bench) -> Mapping[str, LaneRun]:
    return bench.run("rdna")


def verdict(case: Case, run: LaneRun) -> str:
    if run.outcome is not RunOutcome.OK:
        return run.outcome.value
    buffer, numbers = case.expected
    return "same" if list(run.outputs[buffer]) == numbers else "wrong result"


@by_name
def test_original_is_right_on_a_warp_of_32(case: Case, on_nvidia: Mapping[str, LaneRun]) -> None:
    run = on_nvidia[f"{case.name}__original"]
    assert verdict(case, run) == "same", run


@by_name
def test_original_on_a_wave_of_64(
    case: Case, on_cdna: Mapping[str, LaneRun], on_cdna_unchecked: Mapping[str, LaneRun]
) -> None:
    run = on_cdna[f"{case.name}__original"]
    assert verdict(case, run) == case.at_64, run
    assert (case.at_64 == "same") == (case.kind == "none")
    if case.unchecked:
        run = on_cdna_unchecked[f"{case.name}__original"]
        assert verdict(case, run) == case.unchecked, run


@hazards_by_name
def test_fixed_is_right_everywhere(
    case: Case,
    on_nvidia: Mapping[str, LaneRun],
    on_cdna: Mapping[str, LaneRun],
    on_rdna: Mapping[str, LaneRun],
) -> None:
    runs = [machine[f"{case.name}__fixed"] for machine in (on_nvidia, on_cdna, on_rdna)]
    assert [verdict(case, run) for run in runs] == ["same"] * 3, runs


@hazards_by_name
def test_fixed_by_rewarp_is_right_everywhere(
    case: Case,
    on_nvidia: Mapping[str, LaneRun],
    on_cdna: Mapping[str, LaneRun],
    on_rdna: Mapping[str, LaneRun],
) -> None:
    name = f"{case.name}__rewarp"
    runs = [machine.get(name) for machine in (on_nvidia, on_cdna, on_rdna)]
    verdicts = [verdict(case, run) if run else "none" for run in runs]
    assert "wrong result" not in verdicts, runs
    if case.name in WITHOUT_FIX:
        assert verdicts != ["same"] * 3, "it has a fix now: take it off tests/lanes/without_fix.txt"
    else:
        assert verdicts == ["same"] * 3, runs


@pytest.mark.parametrize("where", ["nvidia", "cdna", "rdna"])
def test_fixed_is_right_in_any_order(bench: Bench, where: str) -> None:
    done = getattr(bench, where).run([f"{case.name}__fixed" for case in hazards], seed=7)
    assert {case.name: verdict(case, done[f"{case.name}__fixed"]) for case in hazards} == {
        case.name: "same" for case in hazards
    }


def test_every_kind_of_hazard_is_run() -> None:
    run = {case.kind for case in hazards}
    # A matrix fragment is a layout of the hardware's, which no lane of this instrument has.
    # Shared memory is measured by a rule of its own: it is no matter of lanes.
    assert run == {kind.name for kind in waves.Kind} - {"MATRIX"} | {"CU-010"}
    assert len(hazards) >= 60
