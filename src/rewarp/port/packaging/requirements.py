"""A requirements file for AMD machines beside each one that asks for CUDA packages."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from rewarp.findings import Finding
from rewarp.fixes import FileFix
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.requirements import requirement
from rewarp.port.model import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.packaging.twins import BESIDE_TORCH, FROM_INDEX, for_rocm, for_rocm_text, is_cuda_index
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in, fixes_for
from rewarp.verdict import blocking

_FOR_CUDA = re.compile(r"(?<![a-z])(cuda|nvidia|gpu|cu\d{2,3})(?![a-z])")
_FOR_AMD = re.compile(r"(?i)(?<![a-z])(rocm|hip|amd)(?![a-z])")
_ASIDE = re.compile(r"(?i)(?<![a-z])(dev|tests?|docs?|lint|ci|examples?|benchmarks?)(?![a-z])")
_INCLUDE = re.compile(r"(-r|--requirement|-c|--constraint)(?:\s+|=)(\S+)")
_INDEX = re.compile(r"(?:--index-url|--extra-index-url|-i|--find-links|-f)(?:\s+|=)(\S+)")
_HEAD = """\
# For AMD GPUs. torch comes first, from PyTorch's index for ROCm (pytorch.org says which rocmX.Y there are):
#   pip install {torch} --index-url https://download.pytorch.org/whl/rocmX.Y
# and is then held fast, because PyPI's torch is the one for CUDA:
#   pip list --format=freeze | grep -E "^(torch|torchvision|torchaudio|triton|pytorch-triton-rocm)==" > torch-rocm.txt
#   pip install -c torch-rocm.txt -r {name}
"""
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
        if finding.rule in fixes and blocking(finding) and _is_for_all(finding.path):
            rules[finding.path].add(finding.rule)
    asked = {
        path
        for path, found in rules.items()
        if any(fixes[rule].worth_a_file for rule in found) or not _ASIDE.search(path)
    }
    images = b"".join(tree.read(path) or b"" for path in tree.paths() if kind_of_path(path) is Kind.DOCKERFILE)
    asked = {
        p for p in asked if _leaves_something(p, tree.read(p) or b"") or os.fsencode(posixpath.basename(p)) in images
    }
    taken = set(tree.paths())
    twins: dict[str, str] = {}
    for path in sorted(asked, key=lambda path: (bool(_FOR_CUDA.search(posixpath.basename(path))), path)):
        new = next((name for name in _new_names(path) if name not in taken), None)
        if new is not None:
            twins[path] = new
            taken.add(new)
    return twins


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
    head = _HEAD.format(torch=" ".join(dict.fromkeys(torch)), name=posixpath.basename(names[path]))
    head = head if torch else _HEAD_WITHOUT_TORCH.format(path=posixpath.basename(path))
    lines = list(_lines(path, re.sub(r"\\\r?\n", " ", text), names))
    return head + "\n".join(lines).rstrip("\n") + "\n"


def _for_index(line: str) -> str | None:
    """What pip is to be asked for on PyTorch's index, where a line asks for something that comes from there."""
    item = requirement(re.sub(r"(^|\s)#.*", "", line), None)
    if item is None or for_rocm(item).why not in (FROM_INDEX, BESIDE_TORCH):
        return None
    plain = re.sub(r"\+cu\w+", "", item.text.partition(";")[0]).strip()
    return item.name if "@" in plain or plain == item.name else f'"{plain}"'


def _leaves_something(path: str, data: bytes) -> bool:
    """Whether an AMD machine installs anything by the list: a file of comments helps nobody."""
    lines = _lines(path, data.decode("utf-8-sig", "replace"), {})
    return any(line.strip() and not line.lstrip().startswith("#") for line in lines)


def _lines(path: str, text: str, names: dict[str, str]) -> Iterator[str]:
    for line in text.splitlines():
        bare = re.sub(r"(^|\s)#.*", "", line).strip()
        include, index = _INCLUDE.match(bare), _INDEX.match(bare)
        if include:
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), include[2]))
            new = names.get(other)
            yield line.replace(include[2], posixpath.relpath(new, posixpath.dirname(path) or ".")) if new else line
        elif index:
            yield f"# {bare}: an index for CUDA" if is_cuda_index(index[1]) else line
        elif item := (requirement(bare, None) if bare and not bare.startswith("-") else None):
            found = for_rocm(item)
            if found.text != item.text:
                yield f"# {bare}: {found.why}"
            if found.text:
                yield line if found.text == item.text else found.text
        elif "://" in bare and for_rocm_text(bare).text is None:
            yield f"# {bare}: this wheel is for CUDA"
        else:
            yield line
