"""The Markdown that a maintainer wants to read before merging a port: one page, details folded."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewarp import __version__
from rewarp.escape import markdown, markdown_code, markdown_row
from rewarp.findings import Finding, Severity
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.build.cmake import switch_of
from rewarp.port.changes import Manual
from rewarp.port.packaging.ubuntu_python import INDEX
from rewarp.port.planning.barriers import barriers
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.port.writing.size import by_kind, sizes
from rewarp.project.build.cmake import read_top
from rewarp.project.gates import ROCM
from rewarp.project.role_names import is_aside
from rewarp.report import plugins_line
from rewarp.report.importance import family, has_tests, is_beside, order, stops
from rewarp.report.isolation import headline
from rewarp.verdict import blocking, plural
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.isolation.file_verdict import IsolationVerdict

_FEW = 6
"""Lines of one list outside a fold."""
_ROWS = 60
_CUDA = re.compile(rb"(?i)\bcuda")
_OFF = ("OFF", "0", "FALSE", "NO")
_MAIN = re.compile(rb"\bint\s+main\s*\(")
_NAME_ASSUMED = "No header from outside the project uses the name "


def body(port: Port) -> str:
    """The whole text."""
    parts = [
        *(_what(port), _why(port), _proof(port), _left(port), _refused(port)),
        *(_installing(port), _try_it(port), _details(port)),
    ]
    return "\n".join(line for part in parts for line in part)


def _what(port: Port) -> Iterator[str]:
    verb = "Support" if not port.changes or not (_in_the_way(port) or _still_stopping(port)) else "Prepare for"
    title = f"{verb} {port.target.title}" if port.changes else f"{port.target.title}: what stands in the way"
    yield from (f"# {title}", "")
    if not port.changes:
        yield from ("Nothing was changed.", "")
        yield from _standing(port)
        return
    lines = sizes(port.after)
    kinds = by_kind(port.after)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    removed = sum(item.removed for item in lines.values())
    total = plural(sum(kinds.values()), "line")
    yield f"{plural(len(lines), 'file')}, {total} added ({parts}), {removed} removed; made by rewarp {__version__}."
    if others := plugins_line():
        yield markdown(others)
    if port.gate and any(port.gate.root.encode() in (change.after or b"") for change in port.changes):
        yield f"One gate decides: {markdown_code(port.gate.expression)} in {markdown_code(port.gate.path)}."
    yield ""
    yield from _standing(port)
    reasons = {change.path: change.why for step in port.steps for change in step.changes}
    for path in sorted(lines, key=lambda path: -lines[path].added)[:_FEW]:
        yield f"- {markdown_code(path)} (+{lines[path].added} −{lines[path].removed}): {_sentence(reasons.get(path, ''))}"
    if len(lines) > _FEW:
        yield f"- and {plural(len(lines) - _FEW, 'file')} more, listed at the end"
    yield ""


def _standing(port: Port) -> Iterator[str]:
    """What a reader has to know ahead of the changes: what is there already, and what they do not come past."""
    title = port.target.title
    if port.support:
        yield f"The project supports {title} already, by {', '.join(map(markdown_code, port.support))}; what it has stays as it is."
        yield ""
    if stopping := _in_the_way(port):
        yield (
            f"By this alone it does not run on {title}:"
            if port.changes
            else f"What keeps it from {title} first of all:"
        )
        yield ""
        yield from (f"- {_place(item, port)}" for item in stopping[:_FEW])
        yield ""
    elif port.changes and _still_stopping(port):
        # Their number stands below, counted as everywhere.
        yield f"By this alone it does not run on {title}: what still stops it is listed below."
        yield ""


def _still_stopping(port: Port) -> list[Manual]:
    """What is left and ends a build or a program of the project's own, not one beside it."""
    left = (item for item in _open(port) if not item.of_change)
    return [item for item in left if _stops(item, port) and not is_beside(item.path) and item.path not in port.unbuilt]


def _in_the_way(port: Port) -> list[Manual]:
    """What stands outside the sources, and is sure to stop the project."""
    known = barriers(port.original)
    return [item for item in port.manual if item in known]


def _why(port: Port) -> Iterator[str]:
    asked = _counted(port, filter(blocking, port.findings_before))
    yield from ("## Why", "")
    outside = len(_in_the_way(port))
    if not asked and outside:
        yield from (
            f"{plural(outside, 'place')} outside its sources {'stops' if outside == 1 else 'stop'} it (above).",
            "",
        )
        return
    if not asked:
        yield from (f"Nothing was found that stops it on {port.target.title}.{_unseen(port)}{_unread(port)}", "")
        return
    left = _counted(port, port.left)
    fewer = f"; {max(len(asked) - len(left), 0)} fewer after this" if port.changes else ""
    ending = sum(map(stops, asked)) + outside
    verb = "stops" if ending == 1 else "stop"
    if ending:
        what = "parts of it" if port.support else "it"
        yield f"{plural(ending, 'place')} {verb} {what} on {port.target.title}{_and_more(len(asked) + outside - ending)}{fewer}. Most of all:"
    else:
        yield f"Nothing stops it on {port.target.title}; {plural(len(asked), 'place')} {_instead(len(asked))}{fewer}:"
    yield ""
    yield from (f"- {line}" for line in _by_rule(asked, 3))
    yield ""


def _counted(port: Port, findings: Iterable[Finding]) -> list[Finding]:
    """The findings that are places of the project's own to change: not what is a matter of installing."""
    return [f for f in findings if f.path not in port.unbuilt and f.path not in port.lists]


def _unseen(port: Port) -> str:
    """A word on CUDA that is spoken of where no source of it is there to look into."""
    paths = port.original.paths()
    if port.target.name != "rocm" or any(kind_of_path(path) in CPP_KINDS for path in paths):
        return ""
    told = (
        path for path in paths if kind_of_path(path) in (Kind.CMAKE, Kind.MAKE) or path.lower().startswith("readme")
    )
    naming = next((path for path in told if _CUDA.search(port.original.read(path) or b"")), None)
    return f" rewarp saw no CUDA source here, though {markdown_code(naming)} speaks of CUDA." if naming else ""


def _unread(port: Port) -> str:
    """What no parser took: nothing is known about it."""
    failed = port.original.scan(port.target).failed
    if not failed:
        return ""
    shown = ", ".join(markdown_code(outcome.path) for outcome in failed[:_FEW])
    more = f" and {len(failed) - _FEW} more" if len(failed) > _FEW else ""
    return f" {plural(len(failed), 'file')} could not be read, and nothing is known about what stands there: {shown}{more}."


def _installing(port: Port) -> Iterator[str]:
    lists = port.lists
    if not lists:
        return
    yield from ("## Installing", "")
    for path, (torch, rest) in lists.items():
        first = (
            f"{markdown_code(f'pip install --index-url {INDEX} ' + ' '.join(torch))} first, and keep it"
            if torch
            else ""
        )
        others = "; ".join(map(_sentence, rest))
        yield f"- {markdown_code(path)}: {'; '.join(filter(None, (first, others)))}."
    yield ""


def _and_more(count: int) -> str:
    return f", {count} more {_instead(count)}" if count else ""


def _instead(count: int) -> str:
    return (
        "gives wrong results there or leaves the GPU idle"
        if count == 1
        else "give wrong results there or leave the GPU idle"
    )


def _proof(port: Port) -> Iterator[str]:
    yield from ("## What is proved", "")
    if port.proof is None:
        yield from ("Not checked: verification was left out.", "")
        return
    certificate = port.proof.certificate
    if certificate.files:
        yield f"- NVIDIA: **{certificate.verdict.value}**. {headline(certificate).capitalize()}."
    else:
        yield "- NVIDIA: nothing changed."
    for file in port.proof.unproved[:_FEW]:
        yield f"  - **{file.verdict.value}**: {markdown_code(file.path)}: {_sentence(file.why)}"
    for level in port.proof.levels:
        if level.level is Level.BUILD and not all(check.excused for check in level.checks):
            yield f"- {port.target.title}: {_sentence(_built(level))}. Nothing was run on a GPU."
    yield from _failed_checks(port)
    yield ""


def _built(build: Evidence) -> str:
    counts = build.counts
    arches = ", ".join(build.provenance.get("arches", ()))
    if not counts[Outcome.PASSED] + counts[Outcome.FAILED]:
        head = "no source was compiled"
    else:
        head = f"sources compiled to AMD machine code ({arches})"
    parts = [f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome]]
    reasons = Counter(check.why for check in build.checks if check.outcome is Outcome.NOT_CHECKED)
    listed = "; ".join(f"{why} ({count})" if count > 1 else why for why, count in reasons.most_common(3))
    return f"{head}: {', '.join(parts)}{f' ({listed})' if listed else ''}"


def _failed_checks(port: Port) -> Iterator[str]:
    """What rewarp's own checks of the ported tree said, where it was not good."""
    failed = _failures(port)
    if failed:
        yield f"- {plural(len(failed), 'check')} of the tree as it is after this failed:"
        yield from (f"  - {_check(check)}" for check in failed[:_FEW])
        if len(failed) > _FEW:
            yield f"  - and {len(failed) - _FEW} more, listed at the end"


def _failures(port: Port) -> list[Check]:
    """Failed checks that say more than a finding, which stands in the text already or is answered."""
    known = {(finding.path, finding.line) for finding in port.after.findings(port.target)}
    changed = port.after.changes()  # what cannot be parsed, say, could not before
    return [
        check
        for level in (port.proof.levels if port.proof else ())
        if level.level in (Level.STATIC, Level.BUILD)
        for check in level.checks
        if check.outcome is Outcome.FAILED
        and (level.level is Level.BUILD or ((check.path, check.line) not in known and check.path in changed))
    ]


def _check(check: Check) -> str:
    place = f"{markdown_code(f'{check.path}:{check.line}' if check.line else check.path)}: " if check.path else ""
    return f"{place}{_sentence(check.what)}: {_sentence(check.why)}"


def _left(port: Port) -> Iterator[str]:
    yield from ("## What is left", "")
    items = [item for item in _open(port) if not _is_refusal(item, port)]
    if not items:
        unsure = port.proof is None or any(
            check.outcome is Outcome.NOT_CHECKED and not check.excused
            for level in port.proof.levels
            if level.level is Level.BUILD
            for check in level.checks
        )
        yield (
            "Nothing that is known; what could not be checked (above) may hold more."
            if unsure
            else f"Nothing that is known.{_unread(port)}"
            if not any(_is_refusal(item, port) for item in _open(port))
            else "Nothing beside what was not done (below)."
        )
        yield ""
        return
    told = [item for item in items if item.of_change]
    if told:
        yield from ("To know of what was made:", "", *(f"- {_place(item, port)}" for item in told[:_ROWS]), "")
    items = [item for item in items if item not in told]
    ending = [item for item in items if _stops(item, port)]
    others = [item for item in items if item not in ending]
    for verbs, group, count in (
        (("stops it", "stop it"), ending, _count(port, ending)),
        (("does not stop it", "do not stop it"), others, _count(port, others)),
    ):
        if not group:
            continue
        yield f"{plural(count, 'place')} that {verbs[count > 1]} on {port.target.title}:"
        yield ""
        yield from (f"- {_place(item, port)}" for item in group[:_FEW])
        if len(group) > _FEW:
            yield f"- and {len(group) - _FEW} more, listed at the end"
        yield ""


def _open(port: Port) -> list[Manual]:
    """What is left, without what is a matter of installing."""
    return [item for item in _by_importance(port.manual, port.left) if item.path not in port.lists]


def _is_refusal(item: Manual, port: Port) -> bool:
    """Whether it tells what the tool did not do, rather than a place of the project's."""
    return item.stops and not item.of_change and not item.rule and item not in barriers(port.original)


def _refused(port: Port) -> Iterator[str]:
    items = [item for item in _open(port) if _is_refusal(item, port)]
    if items:
        yield from ("## Not done, and why", "")
        yield from (f"- {_place(item, port)}" for item in items[:_FEW])
        if len(items) > _FEW:
            yield f"- and {len(items) - _FEW} more, listed at the end"
        yield ""


def _count(port: Port, items: list[Manual]) -> int:
    """How many places a group tells of: its findings, as they are counted above, and notes of which no finding speaks."""
    keys = {(item.path, rule) for item in items for rule in item.rule.split(", ")}
    found = [f for f in _counted(port, port.left) if (f.path, f.rule) in keys and stops(f) == _stops(items[0], port)]
    spoken = {(f.path, f.rule) for f in found}
    silent = [i for i in items if not any((i.path, rule) in spoken for rule in i.rule.split(", "))]
    return len(found) + len(silent)


def _stops(item: Manual, port: Port) -> bool:
    """Whether a build or a program ends where this is not done."""
    left = () if item.path in port.unbuilt else port.left
    rules = item.rule.split(", ")
    worst = (f for f in left if f.path == item.path and f.rule in rules and item.line in (None, f.line))
    return item.stops or any(map(stops, worst))


def _by_importance(manual: Iterable[Manual], left: Iterable[Finding]) -> list[Manual]:
    """What a person has to do, once each: what stops the program first, then what gives wrong results, then the rest."""
    ranks: dict[tuple[str, str], int] = {}
    for finding in left:
        key = finding.path, finding.rule
        ranks[key] = max(ranks.get(key, 0), finding.severity.rank)
    unique: dict[tuple[object, ...], Manual] = {}
    more: Counter[tuple[object, ...]] = Counter()
    for item in {(item.path, item.line, item.what): item for item in manual}.values():
        same = (item.path, item.what, item.why, item.stops)
        more[same] += same in unique
        unique.setdefault(same, item)
    unique = {
        key: replace(item, what=f"{item.what.rstrip('. ')} (and {more[key]} more like it)") if more[key] else item
        for key, item in unique.items()
    }
    lowest = Severity.INFO.rank

    def rank(item: Manual) -> int:
        if item.stops:
            return Severity.CRASH.rank + 1
        return max((ranks.get((item.path, rule), lowest) for rule in item.rule.split(", ")), default=lowest)

    def first(item: Manual) -> tuple[bool, bool, int, int, str, int]:
        worst = rank(item)
        its = min((family(rule) for rule in item.rule.split(", ")), default=1)
        return (
            worst < Severity.BUILD.rank,
            is_aside(item.path),
            0 if item.stops else 1 + its,
            -worst,
            item.path,
            item.line or 0,
        )

    return sorted(unique.values(), key=first)


def _try_it(port: Port) -> Iterator[str]:
    if not port.changes:
        return
    yield from ("## How to try it", "")
    yield from (f"{number}. {line}" for number, line in enumerate(_commands(port), 1))
    yield ""


def _commands(port: Port) -> Iterator[str]:
    """What this project is built and tried with, and nothing that it does not have."""
    after = port.after
    paths = after.paths()
    if port.target.name == "gaudi":
        yield "`python -c 'import habana_frameworks.torch, torch; print(torch.hpu.is_available())'` must print `True`."
    elif any(kind_of_path(path) is Kind.PYTHON and b"import torch" in (after.read(path) or b"") for path in paths):
        yield "`python -c 'import torch; print(torch.version.hip, torch.cuda.is_available())'` must print a version and `True`."
    made = [change.path for change in port.changes if ".rocm" in posixpath.basename(change.path)]
    made = sorted((path for path in made if "akefile" in path), key=lambda path: (is_aside(path), path.count("/")))
    for path in made[:2]:
        folder, name = posixpath.split(path)
        yield f"`make {f'-C {folder} ' if folder else ''}-f {name}` is to build it with hipcc; it was not run here."
    changed = {change.path: change.after or b"" for change in port.changes if kind_of_path(change.path) is Kind.CMAKE}
    for path, data in changed.items():
        if switch := switch_of(data):
            yield _cmake_command(after, path, switch)
            break
    if not made and not any(map(switch_of, changed.values())):
        yield from _by_hand(port)
    what = "The project's own tests" if has_tests(paths) else "The program itself, and whether it gives the same"
    yield f"{what}, on a machine with an AMD GPU and on one with an NVIDIA GPU."


def _by_hand(port: Port) -> Iterator[str]:
    """How new HIP versions of whole programs are compiled, where no build was written."""
    copies = [change for change in port.changes if change.path.endswith(".hip")]
    for change in copies[:2]:
        if _MAIN.search(change.after or b""):
            program = posixpath.splitext(posixpath.basename(change.path))[0]
            yield f"{markdown_code(f'hipcc -o {program} {change.path}')} is to build it; it was not run here."


def _cmake_command(after: Tree, path: str, switch: str) -> str:
    """How the folder is built: by its setup.py where that runs CMake, which takes options from CMAKE_ARGS. With all the
    switches of the project's own that it takes to come to the GPU's sources."""
    folder = posixpath.dirname(path)
    wanted = {one.name: one.value for one in read_top(after.files, ROCM, path).switches if one.value not in _OFF}
    options = " ".join(f"-D{name}={value}" for name, value in ({switch: "ON"} | wanted).items())
    setup = after.read(posixpath.join(folder, "setup.py")) or b""
    project = after.read(posixpath.join(folder, "pyproject.toml")) or b""
    if b"skbuild" in setup or b"scikit_build_core" in project or b"CMAKE_ARGS" in setup:
        given = f'"{options}"' if " " in options else options
        return f"`CMAKE_ARGS={given} pip install {f'./{folder}' if folder else '.'}` is to build it for HIP; it was not run here."
    source = f"-S {folder} " if folder else ""
    return f"`cmake {source}-B build {options} && cmake --build build` is to build it for HIP; it was not run here."


# --- folded ---------------------------------------------------------------------------------


def _details(port: Port) -> Iterator[str]:
    yield from _every_change(port)
    refused = [item for item in _open(port) if _is_refusal(item, port)]
    items = [item for item in _open(port) if item not in refused]
    ending = [item for item in items if _stops(item, port)]
    others = [item for item in items if item not in ending]
    if rest := [*ending[_FEW:], *others[_FEW:], *refused[_FEW:]]:
        rows = [f"- {_place(item, port)}" for item in rest[:_ROWS]]
        more = [f"- … and {len(rest) - _ROWS} more"] if len(rest) > _ROWS else []
        yield from _folded("What else is left", [*rows, *more])
    if port.proof and port.proof.certificate.files:
        yield from _folded("The certificate", _certificate(port))
    if len(failed := _failures(port)) > _FEW:
        yield from _folded("Checks that failed", [f"- {_check(check)}" for check in failed[_FEW : _FEW + _ROWS]])


def _every_change(port: Port) -> Iterator[str]:
    lines = sizes(port.after)
    if len(lines) <= _FEW:
        return
    rows = ["| phase | file | lines | why |", "|---|---|---|---|"]
    for step in port.steps:
        for change in step.changes[:_ROWS]:
            count = lines[change.path].added if change.path in lines else 0
            rows.append(markdown_row(step.phase.title, markdown_code(change.path), f"+{count}", _sentence(change.why)))
        if len(step.changes) > _ROWS:
            rows.append(f"| {step.phase.title} | … and {len(step.changes) - _ROWS} more | | |")
    yield from _folded("Every file", rows)


def _certificate(port: Port) -> Iterator[str]:
    assert port.proof is not None
    certificate = port.proof.certificate
    methods: dict[str, int] = defaultdict(int)
    for file in certificate.files:
        if file.verdict is IsolationVerdict.IDENTICAL:
            methods[file.method] += 1
    for method, count in sorted(methods.items()):
        yield f"- {plural(count, 'file')} proved by: {_sentence(method)}"
    yield from ("", "Assumed:", "")
    yield from (f"- {markdown(text)}" for text in _shortened(certificate.assumptions))
    digest = markdown_code(certificate.document()["digest"])
    yield from ("", f"Digest: {digest}. `rewarp verify isolation BASE` makes it again.")


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield from (f"<details><summary>{title}</summary>", "")
    yield from lines
    yield from ("", "</details>", "")


def _shortened(assumptions: Iterable[str]) -> Iterator[str]:
    """One line for all names of which the same is assumed."""
    names: list[str] = []
    for text in assumptions:
        if text.startswith(_NAME_ASSUMED):
            names.append(text.removeprefix(_NAME_ASSUMED).rstrip("."))
        else:
            yield text
    if names:
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        yield f"{_NAME_ASSUMED}{', '.join(names[:4])}{more}."


def _by_rule(findings: Iterable[Finding], most: int) -> Iterator[str]:
    """The worst findings, one of each rule, with how many there are."""
    worst: dict[str, Finding] = {}
    counts: Counter[str] = Counter()
    for finding in sorted(findings, key=order):
        worst.setdefault(finding.rule, finding)
        counts[finding.rule] += 1
    for rule, finding in list(worst.items())[:most]:
        more = f" (and {counts[rule] - 1} more like it)" if counts[rule] > 1 else ""
        yield f"{markdown_code(f'{finding.path}:{finding.line}')}: {_sentence(finding.message)}{more}"


def _place(item: Manual, port: Port) -> str:
    place = markdown_code(f"{item.path}:{item.line}" if item.line else item.path)
    no_build = " (no build here compiles it)" if item.path in port.unbuilt else ""
    return f"{place}{no_build}: {_sentence(item.what)}. Not done: {_sentence(item.why)}"


def _sentence(text: str) -> str:
    """Text whose full stop is ours to set."""
    return markdown(text.rstrip(". "))
