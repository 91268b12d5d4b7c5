"""Golden cases: one readable file holds the input, a marker line and what must be found.

``tests/cases/RULE/hit_*.EXT`` and ``miss_*.EXT``. Everything before the line ``# output``
is the input. After it:

    path: setup.py            the file's name, when the case's own name does not tell the kind
    target: gaudi             default rocm
    torch: 2.9                known versions; default unknown (also rocm:, arch:)
    3 crash: torch.version.cuda.split

The last form is a finding of the rule: line, severity, the text it marks. A miss has none.
``pytest --update-cases`` rewrites the findings; read the diff.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from rewarp.engine import scan
from rewarp.findings import Failed, Finding, Scanned
from rewarp.lang.kinds import kind_of_path
from rewarp.source import SourceFile
from rewarp.targets import TARGETS, Context, Versions

CASES = Path(__file__).parent / "cases"
MARKER = b"# output\n"
_OPTIONS = ("path", "target", "torch", "rocm", "arch")


@dataclass
class Case:
    file: Path
    rule: str
    source: bytes
    options: dict[str, str] = field(default_factory=dict)
    expected: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, file: Path) -> Case:
        data = file.read_bytes()
        source, marker, tail = data.rpartition(MARKER)
        if not marker:
            raise ValueError(f"{file} has no '# output' line")
        case = cls(file, file.parent.name, source)
        for line in tail.decode().splitlines():
            name, _, value = line.partition(": ")
            if name in _OPTIONS:
                case.options[name] = value.strip()
            elif line.strip():
                case.expected.append(line)
        return case

    def findings(self) -> list[Finding]:
        """What the rule finds."""
        path = self.options.get("path", self.file.name)
        versions = Versions(*(self.options.get(name) for name in ("torch", "rocm", "arch")))
        kind = kind_of_path(path)
        assert kind is not None, f"{path}: no kind"
        context = Context(TARGETS[self.options.get("target", "rocm")], versions)
        outcome = scan(SourceFile(path, self.source), kind, context)
        assert not isinstance(outcome, Failed), f"{self.file}: {outcome.reason}"
        assert isinstance(outcome, Scanned)
        return [finding for finding in outcome.findings if finding.rule == self.rule]

    def found(self) -> list[str]:
        """The findings in the form the case writes them."""
        return [
            f"{f.line} {f.severity.value}: {self.source[f.start : f.end].decode('utf-8', 'replace').splitlines()[0]}"
            for f in self.findings()
        ]

    def rewrite(self) -> None:
        options = "".join(f"{name}: {value}\n" for name, value in self.options.items())
        findings = "".join(line + "\n" for line in self.found())
        self.file.write_bytes(self.source + MARKER + (options + findings).encode())


def all_cases() -> list[Path]:
    return sorted(path for path in CASES.glob("*/*") if path.is_file() and path.name.startswith(("hit_", "miss_")))
