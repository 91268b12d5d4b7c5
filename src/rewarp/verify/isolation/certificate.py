"""The certificate: what was compared, what was proved and how, with a digest by which tampering shows."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rewarp import __version__
from rewarp.errors import UsageError
from rewarp.lang import parsers
from rewarp.toolchain.nvcc import Nvcc, find_nvcc
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.isolation.compiled import Compiled, as_data, compile_both, settled
from rewarp.verify.isolation.document import Body, Document, Files
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.roles import Role, role_of
from rewarp.verify.isolation.tree import Trees, open_trees

SCHEMA: Final = "rewarp.isolation/1"
CLAIM = "For an NVIDIA user the changed project does what it did."
_ALWAYS_ASSUMED = (
    "An NVIDIA user has PyTorch built for CUDA (torch.version.hip is None), CUDA's own headers and nvcc; no ROCm, no HPU.",
    "Compilers, CUDA's toolkit and other headers from outside the project do not define HIP's or ROCm's macros, "
    "and a macro of theirs that stands in a condition is one operand.",
    "Files that git does not list (ignored, generated) take no part.",
)
_OUTCOMES = {
    IsolationVerdict.IDENTICAL: Outcome.PASSED,
    IsolationVerdict.UNPROVABLE: Outcome.NOT_CHECKED,
    IsolationVerdict.DIFFERENT: Outcome.FAILED,
}
Seen = Callable[[int, int], None]


@dataclass(frozen=True)
class Certificate:
    """All verdicts on one change."""

    before: str
    revision_before: str | None
    after: str
    revision_after: str | None
    below: str
    """The folder that the question was limited to; empty for the whole tree."""
    files: tuple[FileVerdict, ...]
    assumptions: tuple[str, ...]
    compiled: Compiled | None = None
    """What NVIDIA's compiler said, where it was asked."""

    @property
    def counts(self) -> Counter[IsolationVerdict]:
        return Counter(file.verdict for file in self.files)

    @property
    def verdict(self) -> IsolationVerdict:
        """Identical only where every file is."""
        found = self.counts
        asks = self.compiled and (self.compiled.units or any(role_of(file.path) is Role.C for file in self.files))
        said = {self.compiled.verdict} if self.compiled and asks else set()
        return next(
            (v for v in (IsolationVerdict.DIFFERENT, IsolationVerdict.UNPROVABLE) if found[v] or v in said),
            IsolationVerdict.IDENTICAL,
        )

    def document(self) -> Document:
        """The certificate as plain data, with its own digest."""
        body: Body = {
            "schema": SCHEMA,
            "rewarp": __version__,
            "claim": CLAIM,
            "verdict": self.verdict.value,
            "before": {"name": self.before, "revision": self.revision_before},
            "after": {"name": self.after, "revision": self.revision_after},
            "below": self.below,
            "counts": {verdict.value: self.counts[verdict] for verdict in IsolationVerdict},
            "assumptions": list(self.assumptions),
            "files": [_file(file) for file in self.files],
        }
        if self.compiled:
            body["compiled"] = as_data(self.compiled)
        return {**body, "digest": digest_of(body)}

    def evidence(self) -> Evidence:
        """The same in the words of verification."""
        checks = tuple(
            Check(
                Level.ISOLATION,
                f"{file.path} for NVIDIA",
                _OUTCOMES[file.verdict],
                file.why,
                file.path,
                next((place.line_after for place in file.places if place.line_after), None),
                {"method": file.method},
            )
            for file in self.files
        )
        if self.compiled:
            checks += tuple(
                Check(
                    Level.ISOLATION,
                    f"{unit.source} by {self.compiled.compiler}",
                    _OUTCOMES[unit.verdict],
                    unit.why,
                    unit.source,
                )
                for unit in self.compiled.units
            )
        return Evidence(Level.ISOLATION, checks, {"rewarp": __version__}, self.document())


def _file(file: FileVerdict) -> Files:
    return {
        "path": file.path,
        "verdict": file.verdict.value,
        "method": file.method,
        "why": file.why,
        "places": [
            {"line_before": place.line_before, "line_after": place.line_after, "text": place.text}
            for place in file.places
        ],
        "sha256_before": file.sha256_before,
        "sha256_after": file.sha256_after,
    }


def certify(
    base: str, head: str | None, path: Path, seen: Seen = lambda done, total: None, nvcc: Nvcc | None = None
) -> Certificate:
    """Compare two revisions, a revision and the working tree, or two folders; with ``nvcc``, its units compiled too."""
    trees, below = open_trees(base, head, path)
    return certify_trees(trees, seen, below, nvcc)


def certify_trees(
    trees: Trees, seen: Seen = lambda done, total: None, below: str = "", nvcc: Nvcc | None = None
) -> Certificate:
    """Compare two trees, or what lies ``below`` a folder of them."""
    files = tuple(judge(trees, below, seen))
    compiled = compile_both(trees, nvcc, [file.path for file in files], seen) if nvcc else None
    if compiled:
        files = settled(files, compiled, trees)
    return Certificate(
        trees.before.name,
        trees.before.revision,
        trees.after.name,
        trees.after.revision,
        below,
        files,
        (*_ALWAYS_ASSUMED, *_assumed_of_python(files), *trees.assumed),
        compiled,
    )


def _assumed_of_python(files: tuple[FileVerdict, ...]) -> tuple[str, ...]:
    if not any(role_of(file.path) is Role.PYTHON for file in files):
        return ()
    from rewarp.verify.isolation.python import ASSUMPTIONS

    return ASSUMPTIONS


# --- checking one ---------------------------------------------------------------------------


def digest_of(document: Mapping[str, object]) -> str:
    body = {name: value for name, value in document.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read(file: Path) -> dict[str, Any]:
    try:
        document = parsers.from_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file} is not JSON") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageError(f"{file} is not a certificate of the kind {SCHEMA}")
    return document


def check(document: dict[str, Any], path: Path, seen: Seen = lambda done, total: None) -> list[str]:
    """What speaks against a certificate: its digest, or what is found when all is compared again."""
    if document.get("digest") != digest_of(document):
        return ["its digest is not that of its content: it was changed after it was made"]
    try:
        base = document["before"]["revision"] or document["before"]["name"]
        in_git = document["before"]["revision"] is not None
        head = document["after"]["revision"] or (None if in_git else document["after"]["name"])
        files = {file["path"]: file for file in document["files"]}
        below = document["below"]
    except (KeyError, TypeError):
        return ["it lacks what a certificate has"]
    nvcc = find_nvcc() if document.get("compiled") else None
    now = certify(base, head, path / below if below else path, seen, nvcc).document()
    found = {file["path"]: file for file in now["files"]}
    problems = [f"{name}: in the certificate, but not changed now" for name in sorted(files.keys() - found.keys())]
    problems += [f"{name}: changed now, but not in the certificate" for name in sorted(found.keys() - files.keys())]
    for name in sorted(files.keys() & found.keys()):
        for field in ("sha256_before", "sha256_after", "verdict"):
            if files[name].get(field) != found[name][field]:
                problems.append(
                    f"{name}: {field} is {found[name][field]} now, {files[name].get(field)} in the certificate"
                )
    if document.get("verdict") != now["verdict"]:
        problems.append(f"the verdict is {now['verdict']} now, {document.get('verdict')} in the certificate")
    return problems
