"""Completion in shells, the manual and the page of commands: what the parser knows, told elsewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from rewarp.cli import main, parser
from rewarp.cli.description import _KINDS, Argument, Command, Kind, describe
from rewarp.cli.man_page import man_page
from rewarp.cli.shells import _quoted, bash, fish, zsh
from rewarp.registry import all_rules
from rewarp.run.explained import ALL as SEEN

TOP = describe(parser())
FREE = set(
    """VERSION GLOB BASE MB N WHAT NAME COMMAND REVISION REV SECONDS S NAME[=VALUE] OPTION REGEX PART X DEVICE DTYPE SEED
    all|none|N SIZE DTYPE=ATOL,RTOL ENTRY A..B NAME=VALUE PATTERN USD@DATE PERCENT FIELD,… ARCH
    ARCH,ARCH LIBRARY STANDARD WORDS SHAPE URL ADDRESS RUN SQL PORT HASH""".split()
) | {"'NAME <MAIL>'"}
"""Values that nobody can complete. A new name for a value stands here, or says what it is completed with."""


def arguments(top: Command) -> list[Argument]:
    return [argument for command in top.all() for argument in command.arguments]


def test_every_value_is_known_or_free() -> None:
    names = {argument.value for argument in arguments(TOP) if argument.value and not argument.choices}
    assert names - set(_KINDS) - FREE == set()
    assert set(_KINDS) <= names, "what no option takes any more"


def test_what_is_completed() -> None:
    explain = next(command for command in TOP.all() if command.name == "rewarp explain")
    assert explain.positional[0].words == (*all_rules(), *SEEN)
    verify = next(command for command in TOP.commands if command.word == "verify")
    assert verify.unsaid
    assert verify.unsaid.name == "rewarp verify all"
    for argument in arguments(TOP):
        assert bool(argument.words) == (argument.kind in (Kind.WORDS, Kind.LIST)), argument


def test_help_is_told_as_argparse_tells_it() -> None:
    texts = [argument.help for argument in arguments(TOP)]
    assert any("10%" in text for text in texts)
    assert not [text for text in texts if "%%" in text or "%(" in text]
    assert "%%" not in man_page(TOP)


# --- bash -------------------------------------------------------------------------------------


def completed(*words: str, folder: Path | None = None) -> list[str]:
    """What bash offers for the last word."""
    script = "\n".join(
        [
            bash(TOP),
            f"COMP_WORDS=({' '.join(map(shlex.quote, ('rewarp', *words)))})",
            f"COMP_CWORD={len(words)}",
            "_rewarp",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ]
    )
    done = subprocess.run(["bash", "--norc"], input=script, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if "compopt" not in line], done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([""], [command.word for command in TOP.commands]),
        (["sc"], ["scan"]),
        (["--v"], ["--version"]),
        (["scan", "--ta"], ["--target"]),
        (["scan", "--target", ""], ["rocm", "gaudi"]),
        (["scan", "--target", "=", "g"], ["gaudi"]),
        (["scan", "--target", "="], ["rocm", "gaudi"]),
        (["scan", "--fail-on", "er"], ["error"]),
        (["scan", "--arch", "gfx94"], ["gfx942"]),
        (["scan", "."], []),
        (["scan", "--baseline", ""], []),
        (["scan", "--json", "--sar"], ["--sarif"]),
        (["scan", "--json", ""], []),
        (["explain", "PY-VER-00"], ["PY-VER-001", "PY-VER-002", "PY-VER-003"]),
        (["port", "--phase", "b"], ["build"]),
        (["port", "--sources", "sh"], ["shim"]),
        (["verify", "b"], ["build"]),
        (["verify", "--on"], ["--only"]),
        (["verify", ".", "--on"], ["--only"]),
        (["verify", "--only", "static,b"], ["static,build"]),
        (["verify", "build", "--arch", "gfx942,gfx95"], ["gfx942,gfx950"]),
        (["verify", "build", "--no-t"], ["--no-translate"]),
        (["verify", "run", "--", "--no"], []),
        (["parity", "--b", "roc"], ["rocm"]),
        (["parity", "flow", "--mer"], ["--mermaid"]),
        (["bench", "l"], ["logs"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["nonsense", "x"], []),
    ],
    ids=" ".join,
)
def test_bash(words: list[str], expected: list[str]) -> None:
    assert completed(*words) == expected


def test_bash_knows_every_option() -> None:
    for command in TOP.all():
        options = {name for argument in command.options for name in argument.names}
        assert options <= set(completed(*command.name.split()[1:], "-")), command.name


def test_bash_is_told_and_falls_back_on_files() -> None:
    script = bash(TOP) + "\ncomplete -p rewarp\n"
    done = subprocess.run(["bash", "--norc"], input=script, capture_output=True, text=True)
    assert done.stdout == "complete -o bashdefault -o default -F _rewarp rewarp\n"


# --- zsh and fish: what any shell must be able to read ------------------------------------------


def test_zsh() -> None:
    script = zsh(TOP)
    assert script.startswith("#compdef rewarp\n")
    for command in TOP.all():
        function = "_" + command.name.replace(" ", "_").replace("-", "_")
        assert script.count(f"\n{function}() {{\n") == 1
        assert command is TOP or re.search(rf"^ +{command.word}\) {function} ;;$", script, re.M)
        for argument in command.options:
            for name in argument.names:
                assert re.search(rf"{re.escape(name)}[=+]?\[", script), name
    # bash reads quotes as zsh does: none is left open, and a description is one word.
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0


def test_fish() -> None:
    lines = fish(TOP).splitlines()
    assert sum(line.startswith("complete -c rewarp -n '__rewarp_is \"") for line in lines) > 200
    for line in lines:
        if line.startswith("complete"):
            quotes = re.sub(r"\\.", "", line)
            assert quotes.count("'") % 2 == 0, line
    for command in TOP.all():
        mine = [line for line in lines if f'__rewarp_is "{command.name}"\'' in line]
        for argument in command.options:
            for name in argument.names:
                form = f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} "
                assert any(form in line for line in mine), (command.name, name)


def test_quoting() -> None:
    for text in ("it's", "a b", "\\", "$x `y`", '"'):
        assert shlex.split(_quoted(text)) == [text]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == {"bash": bash, "zsh": zsh, "fish": fish}[shell](TOP)


# --- the manual -------------------------------------------------------------------------------

_REQUESTS = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".br", '.\\"'}


def test_manual() -> None:
    page = man_page(TOP)
    assert page.isascii()
    for line in page.splitlines():
        assert line, "an empty line is a request of its own"
        assert not line.startswith("'")
        assert not line.startswith(".") or line.split()[0] in _REQUESTS, line
        assert not re.search(r"\\(?!f[BIR]|-|&|e|\(aq|\(ga|\(ha|\(ti|\[u[0-9A-F]{4,6}\]|\")", line), line
    for command in list(TOP.all())[1:]:
        assert f"\n.SS {command.name}\n".replace("-", r"\-") in page
        for argument in command.options:
            assert all(rf"\fB{name}\fR".replace("-", r"\-") in page for name in argument.names)


def test_text_that_could_be_a_request() -> None:
    odd = Command("rewarp", "", ".x 'y' \\z", "", (Argument(("--a",), "B", ".br `q` ^~ …"),))
    lines = man_page(odd).splitlines()
    assert r"\&.x \(aqy\(aq \ez" in lines
    assert r"\&.br \(gaq\(ga \(ha\(ti \[u2026]" in lines
