"""Golden cases: one readable file holds the input, a marker line and what must be found.

``tests/cases/RULE/hit_*.EXT`` and ``miss_*.EXT``. Everything before the line ``# output``
is the input. After it:

    path: setup.py            the file's name, when the case's own name does not tell the kind
    target: gaudi             default rocm
    torch: 2.9                known versions; default unknown (also rocm:, arch:)
    ported: yes               the tree is held to be a port, as `rewarp verify` holds it
    beside: saxpy.cu          a CUDA source that lies beside, with an empty kernel: a build is ported whole or not at all
    3 crash: torch.version.cuda.split

The last form is a finding of the rule: line, severity, the text it marks. A miss has none.
After the line ``# fixed``: what ``rewarp port`` makes of a project of this file and what lies beside, as a diff, where it answers the rule.
``pytest --update-cases`` rewrites what follows the input, also of a new case that is nothing but input; read the diff.
"""

from __future__ import annotations

import difflib
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from rewarp.config import Config
from rewarp.engine import scan
from rewarp.findings import Failed, Finding, Scanned
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.lang.parsing import parse
from rewarp.port.changes import OPTIONAL, Change, PortOptions
from rewarp.port.engine import port
from rewarp.port.tree import Tree
from rewarp.project import facts
from rewarp.project.build.losses import find_losses
from rewarp.project.gates import platform_for
from rewarp.registry import all_rules
from rewarp.source import SourceFile
from rewarp.targets import TARGETS, Context, Versions
from rewarp.targets.base import ProjectFacts
from rewarp.verdict import Approach
from rewarp.workspace import Folder, Overlay

CASES = Path(__file__).parent / "cases"
MARKER = b"# output\n"
FIXED = "# fixed\n"
_ALIKE = 0.3
_OPTIONS = ("path", "target", "torch", "rocm", "arch", "ported", "beside")
_KERNEL = b"__global__ void k() {}\n"


@dataclass
class Case:
    file: Path
    rule: str
    source: bytes
    options: dict[str, str] = field(default_factory=dict)
    expected: list[str] = field(default_factory=list)

    fixed: str = ""

    @classmethod
    def read(cls, file: Path, may_be_new: bool = False) -> Case:
        data = file.read_bytes()
        source, marker, tail = data.rpartition(MARKER)
        if not marker:
            if not may_be_new:
                raise ValueError(f"{file} has no '# output' line")
            source, tail = tail, b""
        case = cls(file, file.parent.name, source)
        head, _, case.fixed = tail.decode("utf-8", "surrogateescape").partition(FIXED)
        for line in head.splitlines():
            name, _, value = line.partition(": ")
            if name in _OPTIONS:
                case.options[name] = value.strip()
            elif line.strip():
                case.expected.append(line)
        return case

    @property
    def path(self) -> str:
        return self.options.get("path", self.file.name)

    @property
    def target(self) -> str:
        return self.options.get("target", "rocm")

    def findings(self) -> list[Finding]:
        """What the rule finds."""
        path = self.path
        versions = Versions(*(self.options.get(name) for name in ("torch", "rocm", "arch")))
        kind = kind_of_path(path)
        assert kind is not None, f"{path}: no kind"
        context = Context(TARGETS[self.target], versions, self._project(), "ported" in self.options)
        outcome = scan(SourceFile(path, self.source), kind, context)
        assert not isinstance(outcome, Failed), f"{self.file}: {outcome.reason}"
        assert isinstance(outcome, Scanned)
        return [finding for finding in outcome.findings if finding.rule == self.rule]

    def _project(self) -> ProjectFacts:
        """What the build model says of a build script that is the whole project."""
        if not self.path.endswith("setup.py"):
            return ProjectFacts()
        with tempfile.TemporaryDirectory() as folder:
            tree = Overlay(Folder(Path(folder)), {self.path: self.source})
            target = TARGETS[self.target]
            return facts.read((), target, 0, find_losses(tree, platform_for(target)))

    def found(self) -> list[str]:
        """The findings in the form the case writes them."""
        return [
            f"{f.line} {f.severity.value}: {self.source[f.start : f.end].decode('utf-8', 'replace').splitlines()[0]}"
            for f in self.findings()
        ]

    def change(self) -> str:
        """What the port makes of the file on account of the rule, as a diff; it must parse, and want no further change."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / self.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self.source)
            for name in self.options.get("beside", "").split():
                (Path(folder) / name).write_bytes(_KERNEL)
            versions = {name: value for name, value in self.options.items() if name in ("torch", "rocm", "arch")}
            tree = Tree(Path(folder), replace(Config(), **versions))  # type: ignore[arg-type]
            changes = _ported(tree, self.target)
            answers = sorted({change.path for change in changes if self.rule in change.rules})
            rule = all_rules()[self.rule]
            if not answers or not rule.fixes.get(self.target):
                # A translated source is on account of all that was found in it, be it answered or not.
                assert not answers or rule.family in ("cuda", "waves"), "the port answers a rule that has no fix"
                return ""
            after = tree.with_changes(changes)
            assert _ported(after, self.target) == [], "a second port changes something"
            for path, data in after.changes().items():
                if data is not None and (kind := kind_of_path(path)) is not None:
                    parse(SourceFile(path, data), kind)
            return "".join(self._diff(path, after.read(path) or b"") for path in answers)

    def _diff(self, path: str, after: bytes) -> str:
        """A change; a new file is compared with the case's own where it is a version of that."""
        old, new = (_lines(data) for data in (self.source, after))
        if path == self.path or difflib.SequenceMatcher(None, old, new).ratio() > _ALIKE:
            return "".join(difflib.unified_diff(old, new, self.path, path))
        return "".join(difflib.unified_diff([], new, "/dev/null", path))

    def rewrite(self) -> None:
        options = "".join(f"{name}: {value}\n" for name, value in self.options.items())
        findings = "".join(line + "\n" for line in self.found())
        change = self.change()
        tail = options + findings + (FIXED + change if change else "")
        self.file.write_bytes(self.source + MARKER + tail.encode("utf-8", "surrogateescape"))


def _ported(tree: Tree, target: str) -> list[Change]:
    """With all that a port writes where it is asked for; what a build would take is here for a person who wants the copy."""
    beside = Approach.COMMITTED if all(kind_of_path(path) in CPP_KINDS for path in tree.paths()) else None
    return port(tree, TARGETS[target], options=PortOptions(beside, frozenset(OPTIONAL)), prove=False).changes


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def all_cases() -> list[Path]:
    return sorted(path for path in CASES.glob("*/*") if path.is_file() and path.name.startswith(("hit_", "miss_")))
