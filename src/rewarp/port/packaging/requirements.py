"""A requirements file for AMD machines beside each one that asks for CUDA packages."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from rewarp.findings import Finding
from rewarp.fixes import FileFix
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.requirements import requirement
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.packaging.twins import BESIDE_TORCH, FROM_INDEX, cannot_be_had, for_rocm, for_rocm_text, is_cuda_index
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in, fixes_for
from rewarp.verdict import blocking

_FOR_CUDA = re.compile(r"(?<![a-z])(cuda|nvidia|gpu|cu\d{2,3})(?![a-z])")
_FOR_AMD = re.compile(r"(?i)(?<![a-z])(rocm|hip|amd)(?![a-z])")
_ASIDE = re.compile(r"(?i)(?<![a-z])(dev|tests?|docs?|lint|ci|examples?|benchmarks?)(?![a-z])")
_INCLUDE = re.compile(r"(-r|--requirement|-c|--constraint)(?:\s+|=)(\S+)")
_INDEX = re.compile(r"(?:--index-url|--extra-index-url|-i|--find-links|-f)(?:\s+|=)(\S+)")
_HEAD = """\
# {path} for AMD GPUs. Install {torch} first, with pytorch.org's command for ROCm, and keep it:
#   pip freeze | grep -E "^(torch|torchvision|torchaudio|triton|pytorch-triton-rocm)==" > torch-rocm.txt
#   pip install -c torch-rocm.txt -r {name}
"""
_OLDER = "# The versions that {path} pins are older than the first of PyTorch with builds for MI300X.\n"
_FIRST_FOR_MI300X = {"torch": (2, 3), "torchaudio": (2, 3), "torchvision": (0, 18)}
"""Of the wheels on PyTorch's indices, those for ROCm 6."""
_PINNED = re.compile(r"[\w-]+\s*={2,3}\s*(\d+)\.(\d+)")
_HEAD_WITHOUT_TORCH = "# For AMD GPUs: {path} with AMD's versions of what is CUDA's.\n"
_WHY = "What an AMD machine installs; {} stays as it is for NVIDIA."


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    names = twin_names(tree, tree.findings(context.target))
    fixed = fixed_in(context.target.name, Kind.REQUIREMENTS)
    for path, new_path in names.items():
        found = {finding.rule for finding in tree.findings(context.target) if finding.path == path}
        rules = tuple(sorted(found.intersection(fixed)))
        text = (tree.read(path) or b"").decode("utf-8-sig", "replace")
        if "--hash" in text:
            why = "its hashes are those of the wheels for CUDA: lock it anew on an AMD machine"
            result.manual.append(
                Manual(path, None, PortPhase.ENVIRONMENT, "a locked requirements file", why, ", ".join(rules))
            )
        else:
            after = translated(path, text, names).encode()
            result.changes.append(Change(new_path, after, PortPhase.ENVIRONMENT, _WHY.format(path), rules))
    return result


def twin_names(tree: Tree, findings: list[Finding]) -> dict[str, str]:
    """The file that each requirements file with findings gets beside it."""
    fixes = {rule: fix for rule, fix in fixes_for("rocm", FileFix) if fix.kind is Kind.REQUIREMENTS}
    rules: dict[str, set[str]] = defaultdict(set)
    for finding in findings:
        fix = fixes.get(finding.rule)
        if fix is not None and (blocking(finding) or fix.even_if_mild) and _is_for_all(finding.path):
            rules[finding.path].add(finding.rule)
    asked = {
        path
        for path, found in rules.items()
        if any(fixes[rule].worth_a_file for rule in found) or not _ASIDE.search(path)
    }
    asked = {
        path for path in asked if _replaces(tree.read(path) or b"") and _leaves_something(path, tree.read(path) or b"")
    }
    asked -= {path for path in asked if cannot_be_installed(tree.read(path) or b"")}
    taken = set(tree.paths())
    twins: dict[str, str] = {}
    for path in sorted(asked, key=lambda path: (bool(_FOR_CUDA.search(posixpath.basename(path))), path)):
        new = next((name for name in _new_names(path) if name not in taken), None)
        if new is not None:
            twins[path] = new
            taken.add(new)
    return twins


def instead(data: bytes) -> tuple[list[str], list[str]]:
    """What pip installs from PyTorch's index for ROCm, and what becomes of the other lines, in words."""
    torch: list[str] = []
    rest: list[str] = []
    for line in re.sub(r"\\\r?\n", " ", data.decode("utf-8-sig", "replace")).splitlines():
        bare = re.sub(r"(^|\s)#.*", "", line).strip()
        index, item = _INDEX.match(bare), requirement(bare, None) if bare and not bare.startswith("-") else None
        if asked := _for_index(line):
            torch.append(asked)
        elif index and is_cuda_index(index[1]):
            rest.append(f"leave out {bare}")
        elif item is not None and (twin := for_rocm(item)).why:
            rest.append(f"{item.text} becomes {twin.text}" if twin.text else f"leave out {item.text} ({twin.why})")
    return list(dict.fromkeys(torch)), rest


def _is_for_all(path: str) -> bool:
    """A requirements file that is not AMD's already."""
    return kind_of_path(path) is Kind.REQUIREMENTS and not _FOR_AMD.search(posixpath.basename(path))


def _new_names(path: str) -> Iterator[str]:
    """``cuda.txt`` becomes ``rocm.txt``, ``requirements.txt`` becomes ``requirements-rocm.txt``."""
    folder, name = posixpath.split(path)
    stem, suffix = posixpath.splitext(name)
    if _FOR_CUDA.search(stem):
        yield posixpath.join(folder, _FOR_CUDA.sub("rocm", stem, count=1) + suffix)
    yield posixpath.join(folder, f"{stem}-rocm{suffix}")


def translated(path: str, text: str, names: dict[str, str]) -> str:
    torch = [asked for line in text.splitlines() if (asked := _for_index(line))]
    name, new = posixpath.basename(path), posixpath.basename(names[path])
    head = _HEAD.format(path=name, torch=" ".join(dict.fromkeys(torch)), name=new)
    head = head if torch else _HEAD_WITHOUT_TORCH.format(path=posixpath.basename(path))
    head += _OLDER.format(path=name) if any(_is_too_old(line) for line in text.splitlines()) else ""
    lines = list(_lines(path, re.sub(r"\\\r?\n", " ", text), names))
    return head + "\n".join(lines).strip("\n") + "\n"


def _for_index(line: str) -> str | None:
    """What pip is to be asked for on PyTorch's index, where a line asks for something that comes from there."""
    item = requirement(re.sub(r"(^|\s)#.*", "", line), None)
    if item is None or for_rocm(item).why not in (FROM_INDEX, BESIDE_TORCH):
        return None
    plain = re.sub(r"\+cu\w+", "", item.text.partition(";")[0]).strip()
    if _is_too_old(line):
        return item.name
    return item.name if "@" in plain or plain == item.name else f'"{plain}"'


def _is_too_old(line: str) -> bool:
    item = requirement(re.sub(r"(^|\s)#.*", "", line), None)
    pinned = _PINNED.match(item.text) if item is not None and item.name in _FIRST_FOR_MI300X else None
    return item is not None and pinned is not None and (int(pinned[1]), int(pinned[2])) < _FIRST_FOR_MI300X[item.name]


def _asks_index_for_torch(data: bytes) -> bool:
    """Whether torch is to come from an index for CUDA, which pip would ask on an AMD machine, too."""
    lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in data.decode("utf-8-sig", "replace").splitlines()]
    indices = (_INDEX.match(line) for line in lines)
    return any(index and is_cuda_index(index[1]) for index in indices) and any(map(_for_index, lines))


def _replaces(data: bytes) -> bool:
    """Whether AMD has another package for one in the list, or another index. What is only left out a person leaves out, too."""
    if _asks_index_for_torch(data):
        return True
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    items = (requirement(line, None) for line in lines if line and not line.startswith("-"))
    found = ((item, for_rocm(item)) for item in items if item is not None)
    return any(twin.text is not None and twin.text != item.text for item, twin in found)


def cannot_be_installed(data: bytes) -> str | None:
    """What of a list no AMD machine can install, and why; a list without it would be another program's."""
    text = re.sub(r"\\\r?\n", " ", data.decode("utf-8-sig", "replace"))
    for line in text.splitlines():
        bare = re.sub(r"(^|\s)#.*", "", line).strip()
        item = requirement(bare, None) if bare and not bare.startswith("-") else None
        if item is not None and (why := cannot_be_had(item)):
            return f"{item.name}: {why}"
        if bare.startswith("file:"):
            return f"{bare}: it is a file of the machine that the list was made on"
    return None


def _leaves_something(path: str, data: bytes) -> bool:
    """Whether an AMD machine installs more by the list than it would be told: a file of comments helps nobody."""
    lines = [line.strip() for line in _lines(path, data.decode("utf-8-sig", "replace"), {}) if line.strip()]
    told = sum(line.startswith("#") for line in lines)
    return len(lines) - told > told


def _lines(path: str, text: str, names: dict[str, str]) -> Iterator[str]:
    above: list[str] = []  # comments on what follows, which go with it
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            above.append(line)
            continue
        new = _line(path, line, names)
        is_package = new is None and not line.lstrip().startswith("-")
        yield from () if is_package else above
        above = []
        if new is not None:
            yield new
    yield from above


def _line(path: str, line: str, names: dict[str, str]) -> str | None:
    bare = re.sub(r"(^|\s)#.*", "", line).strip()
    include, index = _INCLUDE.match(bare), _INDEX.match(bare)
    if include:
        other = posixpath.normpath(posixpath.join(posixpath.dirname(path), include[2]))
        new = names.get(other)
        return line.replace(include[2], posixpath.relpath(new, posixpath.dirname(path) or ".")) if new else line
    if index:
        return None if is_cuda_index(index[1]) else line
    if item := (requirement(bare, None) if bare and not bare.startswith("-") else None):
        found = for_rocm(item)
        return line if found.text == item.text else found.text
    return line if "://" not in bare or for_rocm_text(bare).text is not None else None
