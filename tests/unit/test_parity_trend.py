"""Scores over history: which commits are looked at, holes where there is no score, what Ctrl-C leaves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from parity_parts import TOY

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.parity.comparing import compare as joining
from rewarp.parity.comparing import trend as module
from rewarp.parity.comparing.trend import Commit, Point, Trend, trend
from rewarp.report import parity_trend

pytestmark = pytest.mark.usefixtures("few_units_do")

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "parity-trend-1.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(joining, "LANGUAGES", (TOY,))
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, subject: str, **contents: str) -> None:
    for name, text in contents.items():
        file = folder / name.replace("__", "/").replace("_toy", ".toy")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "none", rocm__ops_toy="add IMPLEMENTED MISSING\nmul IMPLEMENTED ERROR\n")
    commit(folder, "half", rocm__ops_toy="add IMPLEMENTED IMPLEMENTED\nmul IMPLEMENTED ERROR\n")
    commit(folder, "unrelated", README="nothing")
    commit(folder, "broken", rocm__ops_toy="{")
    commit(folder, "whole", rocm__ops_toy="add IMPLEMENTED IMPLEMENTED\nmul IMPLEMENTED IMPLEMENTED\n")
    return folder


def subjects(found: Trend) -> list[str]:
    return [point.commit.subject for point in found.points]


def test_commits_that_touch_a_side_are_compared_as_they_were(repository: Path) -> None:
    found = trend(repository, "main~4..main")
    assert subjects(found) == ["none", "half", "broken", "whole"]
    assert [point.shares.get("operation") for point in found.points] == [0, Fraction(1, 2), None, 1]
    assert [point.gaps for point in found.points] == [2, 1, None, 0]
    assert found.points[2].why_not.startswith("rocm/ops.toy:1: does not parse")
    assert found.touching == 4
    assert (repository / "README").read_text() == "nothing", "nothing is checked out"
    assert git(repository, "status", "--porcelain") == ""


def test_both_ends_are_there_even_where_they_touch_nothing(repository: Path) -> None:
    commit(repository, "words", README="more")
    assert subjects(trend(repository, "main~3..main")) == ["unrelated", "broken", "whole", "words"]


def test_a_merge_counts_once_by_what_it_brings(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "side", "main~1")
    commit(repository, "inner one", rocm__more_toy="sub IMPLEMENTED ERROR\n")
    commit(repository, "inner two", rocm__more_toy="sub IMPLEMENTED IMPLEMENTED\n")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "side")
    assert subjects(trend(repository, "main~1..main")) == ["whole", "merge"]


def test_bare_repositories_and_folders_below(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare")
    assert subjects(trend(tmp_path / "bare", "main~4..main")) == ["none", "half", "broken", "whole"]
    commit(repository, "elsewhere", cuda__ops_toy="x IMPLEMENTED ERROR\n")
    found = trend(repository, "main~2..main", folder="rocm")
    assert subjects(found) == ["broken", "whole", "elsewhere"]
    assert found.points[-1].lowest == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"every": 2}, ["none", "broken", "whole"]),
        ({"every": 9}, ["none", "whole"]),
        ({"most": 2}, ["none", "whole"]),
        ({"most": 1}, ["whole"]),
        ({"most": 3}, ["none", "broken", "whole"]),
    ],
)
def test_fewer_commits(repository: Path, arguments: dict[str, int], expected: list[str]) -> None:
    found = trend(repository, "main~4..main", None, None, every=arguments.get("every"), most=arguments.get("most", 40))
    assert subjects(found) == expected
    assert found.touching == 4


@pytest.mark.parametrize(
    "revisions", ["main", "..main", "main...main~1", "-x..main", "main..-x", "nope..main", "main..nope"]
)
def test_what_is_no_range(repository: Path, revisions: str) -> None:
    with pytest.raises(UsageError):
        trend(repository, revisions)


def test_a_side_that_is_unknown_is_an_error_not_a_hole(repository: Path) -> None:
    with pytest.raises(UsageError, match="not a back end"):
        trend(repository, "main~4..main", "cuda", "nonsense")
    with pytest.raises(UsageError, match="itself"):
        trend(repository, "main~4..main", "rocm", "hip")


def test_ctrl_c_keeps_what_was_computed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = joining.compare
    calls: list[int] = []

    def interrupted(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **named)

    monkeypatch.setattr(module, "compare", interrupted)
    found = trend(repository, "main~4..main")
    assert found.was_stopped
    assert subjects(found) == ["none", "half"]
    calls.clear()
    assert main(["parity", "trend", "main~4..main", str(repository), "-q"]) == 130


# --- views ------------------------------------------------------------------------------


def test_a_hole_in_the_line_is_not_zero() -> None:
    shares = [Fraction(0), None, Fraction(1, 2), Fraction(999, 1000), Fraction(1)]
    assert parity_trend.sparkline(shares) == "▁·▅██"


def test_terminal(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "trend", "main~4..main", str(repository)]) == 0
    out = capsys.readouterr().out
    assert "operation  ▁▅·█  0 % → 100 %" in out
    assert "no score: rocm/ops.toy:1: does not parse" in out


def test_json(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "trend", "main~4..main", str(repository), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    assert [point["lowest"] for point in found["points"]] == [0, 50, None, 100]
    assert [point["percent"] for point in found["points"]][2] == {"operation": None}


def test_no_score_anywhere_is_exit_2(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "trend", "main~2..main~1", str(repository)]) == 0
    commit(repository, "broken again", rocm__ops_toy="{")
    commit(repository, "still", rocm__ops_toy="{")
    assert main(["parity", "trend", "main~1..main", str(repository)]) == 2
    assert "no commit has a score" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--every", "0"], ["--max", "0"], ["--jobs", "0"], ["--every", "2", "--max", "3"]], ids=" ".join
)
def test_bad_numbers(repository: Path, arguments: list[str]) -> None:
    try:
        code = main(["parity", "trend", "main~4..main", str(repository), *arguments])
    except SystemExit as left:
        code = int(str(left.code))
    assert code == 2


def test_outside_a_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "trend", "a..b", str(tmp_path)]) == 2
    assert "not in a git repository" in capsys.readouterr().err


# --- the page ---------------------------------------------------------------------------


def example() -> Trend:
    points = [
        Point(Commit("a" * 40, "2026-01-01T00:00:00Z", "</script><b>first"), {"kernel": Fraction(1, 4)}, 3),
        Point(Commit("b" * 40, "2026-01-02T00:00:00Z", "second"), {"kernel": Fraction(1, 2), "method": Fraction(1)}, 2),
        Point(Commit("c" * 40, "2026-01-03T00:00:00Z", "third"), why_not="a.rs:1: does not parse"),
        Point(Commit("d" * 40, "2026-01-04T00:00:00Z", "fourth"), {"kernel": Fraction(3, 4), "method": Fraction(1)}, 1),
    ]
    return Trend("tree", "a..d", "cuda", "rocm", tuple(points), 9)


def test_the_page_loads_nothing() -> None:
    html = parity_trend.render_html(example())
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "</script><b>" not in html


@pytest.mark.browser
def test_the_page_in_a_browser(open_page: Callable[[str], Any]) -> None:
    page = open_page(parity_trend.render_html(example()))
    assert "75 % of what cuda does" in page.inner_text("#verdict")
    assert "4 of 9 commits" in page.inner_text("#verdict")
    lines = page.eval_on_selector_all(
        "svg polyline", "lines => lines.map(line => [line.dataset.kind, line.points.length])"
    )
    assert lines == [["kernel", 2]], "nothing is drawn across the hole, or where a kind has one point"
    assert page.locator("svg circle").count() == 5
    assert page.locator("svg line.hole").count() == 1
    assert "no score: a.rs:1: does not parse" in page.inner_text("#list")
    page.locator(f'svg circle[data-commit="{"d" * 40}"]').first.click()
    assert page.locator("#list tr.chosen").inner_text().startswith("ddddddddd")
