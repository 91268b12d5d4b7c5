"""The porting guide: everything in it is there, can be called, and comes from this version."""

from __future__ import annotations

import csv
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from rewarp import skill, tables
from rewarp.cli import main, parser, with_subcommand
from rewarp.findings import Phase
from rewarp.registry import all_rules
from rewarp.skill.folder import stale, write_skill

FILES = skill.files()
REFERENCES = {path: text for path, text in FILES.items() if path != skill.GUIDE}
_PHASES = {phase: f"references/{number}-" for number, phase in enumerate(Phase)}


def commands(text: str) -> list[str]:
    """What a reader would type: code spans and lines of blocks that begin with rewarp."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    lines = [line.split("  #")[0] for block in blocks for line in block.splitlines()]
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
    return [one.strip() for one in (*lines, *spans) if re.match(r"rewarp [a-z-]", one)]


@pytest.mark.parametrize("path", FILES)
def test_every_command_is_one_that_rewarp_takes(path: str) -> None:
    for command in commands(FILES[path]):
        words = shlex.split(command)[1:]
        if words == ["--version"]:
            continue
        try:
            parser().parse_args(with_subcommand(words))
        except SystemExit:
            pytest.fail(f"{path}: {command}")


@pytest.mark.parametrize("wrong", ["`rewarp scna .`", "```sh\nrewarp port . --inplace  # now\n```"])
def test_a_wrong_command_is_seen(wrong: str) -> None:
    (command,) = commands(wrong)
    with pytest.raises(SystemExit):
        parser().parse_args(shlex.split(command)[1:])


def test_the_commands_of_every_phase_are_told() -> None:
    told = {shlex.split(command)[1] for text in FILES.values() for command in commands(text)}
    wanted = {"doctor", "scan", "project", "translate", "waves", "port", "run", "verify", "explain", "bench"}
    assert wanted <= told


@pytest.mark.parametrize("path", FILES)
def test_links_lead_somewhere(path: str) -> None:
    folder = Path(path).parent
    for link in re.findall(r"\]\(([^)]+)\)", FILES[path]):
        target, _, anchor = link.partition("#")
        place = (folder / target).as_posix()
        assert place in FILES, link
        titles = [
            re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in re.findall(r"^#+ (.*)$", FILES[place], re.M)
        ]
        assert not anchor or anchor in titles, link


def test_every_reference_is_named_in_the_guide() -> None:
    assert all(f"({path})" in FILES[skill.GUIDE] for path in REFERENCES)


@pytest.mark.parametrize("rule", [rule for rule in all_rules().values() if "rocm" in rule.impacts], ids=lambda r: r.id)
def test_every_rule_stands_in_the_reference_of_its_phase(rule: object) -> None:
    named = re.compile(rf"^\| {rule.id} \||\({rule.id}\)[;.]", re.M)  # type: ignore[attr-defined]
    homes = [path for path, text in REFERENCES.items() if named.search(text)]
    assert [path.startswith(_PHASES[rule.phase]) for path in homes] == [True]  # type: ignore[attr-defined]


def test_nothing_is_left_to_be_filled_in() -> None:
    for path, text in FILES.items():
        assert not re.search(r"\{\{|\}\}", text), path
        named = set(re.findall(r"\b[A-Z]{2,3}(?:-[A-Z]{2,4})?-\d{3}\b", text))
        assert named <= set(all_rules()), path


@pytest.mark.parametrize("row", tables.rows("folklore.csv"), ids=lambda row: row["people_say"])
def test_folklore_has_its_source(row: dict[str, str]) -> None:
    assert row["phase"] in {phase.value for phase in Phase}
    assert bool(row["rule"]) != bool(row["source"]), "a rule, whose source it is, or a source of its own"
    assert row["source"].startswith("https://") or row["rule"] in all_rules()
    home = next(text for path, text in REFERENCES.items() if path.startswith(_PHASES[Phase(row["phase"])]))
    assert row["what_is_true"] in home.replace("\\|", "|"), "told in its phase"
    assert row["what_is_true"] in FILES["references/folklore.md"].replace("\\|", "|")


def test_folklore_is_corrected_not_repeated() -> None:
    """What the guide advises must not be what its own table calls false."""
    for path, text in FILES.items():
        advice = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
        assert "expandable_segments:True" not in advice, path
        assert "torch._inductor.config" not in advice, path


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (skill.GUIDE, "references/0-environment.md#a-newer-torch"),
        (skill.GUIDE, "--sources shim"),
        ("references/0-environment.md", "weights_only=False"),
        ("references/0-environment.md", '"--local-rank", "--local_rank"'),
        ("references/0-environment.md", "x.scalar_type()"),
        ("references/2-translation.md", "`--sources shim`"),
        ("references/3-architecture.md", "python -m rewarp.run.torch gfx942 setup.py build_ext --inplace"),
        ("references/3-architecture.md", "pytest --rewarp-machine=gfx942"),
    ],
)
def test_what_agents_missed_is_told(path: str, told: str) -> None:
    """Where ports by agents fell short of what they could have been."""
    assert told in FILES[path]


def test_the_worked_way_to_run_an_extension_is_there() -> None:
    from rewarp import pytest_plugin
    from rewarp.run import torch_extension

    assert importlib.util.find_spec("rewarp.run.torch.__main__")
    assert "--rewarp-machine" in Path(pytest_plugin.__file__).read_text("utf-8")
    assert torch_extension.__name__ in FILES["references/3-architecture.md"]


def test_it_fits_a_context() -> None:
    """What the format's own advice asks for: a guide below 500 lines, about 5,000 tokens, the rest on demand."""
    assert len(FILES[skill.GUIDE].splitlines()) < 500
    assert len(FILES[skill.GUIDE].split()) < 3000
    assert all(len(text.split()) < 3000 for text in REFERENCES.values())


def test_tables_are_sound() -> None:
    for name in ("folklore.csv", "pitfalls.csv"):
        with (Path(tables.__file__).parent / name).open(encoding="utf-8", newline="") as stream:
            assert len({len(row) for row in csv.reader(stream)}) == 1


def test_it_is_written_checked_and_written_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "skills"
    assert main(["skill", "--to", str(there)]) == 0
    folder = there / skill.NAME
    assert {f.relative_to(folder).as_posix() for f in folder.rglob("*.md")} == set(FILES)
    assert main(["skill", "--to", str(there), "--check"]) == 0
    (folder / "references" / "7-graphs.md").write_text("older")
    (folder / "references" / "gone.md").write_text("of an older version")
    assert main(["skill", "--to", str(there), "--check"]) == 1
    assert stale(folder) == ["references/7-graphs.md", "references/gone.md"]
    assert write_skill(folder) == ["references/7-graphs.md", "references/gone.md"]
    assert stale(folder) == []
    assert "7-graphs.md: not as this version writes it" in capsys.readouterr().err


def test_it_is_not_written_over_somebody_elses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / skill.NAME
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: mine\n---\n")
    assert main(["skill", "--to", str(tmp_path)]) == 2
    assert (folder / "SKILL.md").read_text() == "---\nname: mine\n---\n"
    assert "not this skill" in capsys.readouterr().err
    assert main(["skill", "--to", str(tmp_path), "--force"]) == 0


def test_it_is_written_through_no_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / skill.NAME).symlink_to(elsewhere)
    assert main(["skill", "--to", str(tmp_path / "skills"), "--force"]) == 2
    assert list(elsewhere.iterdir()) == []


def test_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["skill"]) == 0
    assert capsys.readouterr().out == FILES[skill.GUIDE]
    assert main(["skill", "7-graphs"]) == 0
    assert capsys.readouterr().out == FILES["references/7-graphs.md"]
    assert main(["skill", "grafs"]) == 2
    assert main(["skill", "--check"]) == 2
