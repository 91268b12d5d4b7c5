"""A compose file for AMD over each one that takes its GPUs from NVIDIA's runtime."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from rewarp.errors import UnreadableSource
from rewarp.findings import Finding
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.yaml import Entry, YamlFile
from rewarp.port.changes import Change, PhaseResult, PortContext, PortPhase
from rewarp.port.packaging import containers
from rewarp.port.tree import Tree
from rewarp.registry import fixed_in
from rewarp.source import SourceFile
from rewarp.verdict import blocking

_FOR_CUDA = re.compile(r"(?i)(?<![a-z])(cuda|nvidia|gpu)(?![a-z])")
_FOR_AMD = re.compile(r"(?i)(?<![a-z])(rocm|hip|amd)(?![a-z])")
_PLAIN = re.compile(r"[\w./:@-]+")
_IMAGES = {
    "ollama/ollama": "ollama/ollama:rocm",
    "vllm/vllm-openai": "rocm/vllm:latest",
}
"""Images whose makers have one for AMD under another name."""
_RESETS = {
    "deploy": ("deploy:", "  resources:", "    reservations:", "      devices: !reset []"),
    "runtime": ("runtime: !reset null",),
    "gpus": ("gpus: !reset []",),
}
_DEVICES = ("devices:", "  - /dev/kfd", "  - /dev/dri", "group_add:", "  - video")
_HEAD = """\
# What {path} gives its services on a machine with AMD GPUs (Docker Compose 2.24 and later):
#   docker compose -f {path} -f {new} up
services:
"""
_WHY = "Laid over {}, which stays as it is: the services get AMD's devices in place of NVIDIA's runtime."

Path = tuple[str, ...]


class _Unknown(Exception):
    """A service for AMD cannot be told from the files."""


def run(tree: Tree, context: PortContext) -> PhaseResult:
    changes = [
        Change(new, text.encode(), PortPhase.ENVIRONMENT, _WHY.format(path), fixed_in("rocm", Kind.COMPOSE))
        for path, (new, text) in overlays(tree, tree.findings(context.target)).items()
    ]
    return PhaseResult(changes)


def overlays(tree: Tree, findings: list[Finding]) -> dict[str, tuple[str, str]]:
    """By compose file: the name and the text of the one that is laid over it for AMD."""
    paths = {
        f.path
        for f in findings
        if f.rule in fixed_in("rocm", Kind.COMPOSE) and blocking(f) and kind_of_path(f.path) is Kind.COMPOSE
    }
    found: dict[str, tuple[str, str]] = {}
    if any(_FOR_AMD.search(path) and kind_of_path(path) is Kind.COMPOSE for path in tree.paths()):
        return found
    for path in sorted(paths):
        new = overlay_name(path)
        try:
            document = YamlFile(SourceFile(path, tree.read(path) or b""), Kind.COMPOSE)
            lines = list(_Services(document, tree, findings).lines())
        except (UnreadableSource, _Unknown):
            continue
        if lines and new not in tree:
            head = _HEAD.format(path=posixpath.basename(path), new=posixpath.basename(new))
            found[path] = new, head + "".join(f"  {line}\n" for line in lines)
    return found


def overlay_name(path: str) -> str:
    folder, name = posixpath.split(path)
    stem, suffix = posixpath.splitext(name)
    if _FOR_CUDA.search(stem):
        return posixpath.join(folder, _FOR_CUDA.sub("rocm", stem, count=1) + suffix)
    return posixpath.join(folder, f"{stem}.rocm{suffix}")


class _Services:
    """The services of a compose file, with what they take over from others."""

    def __init__(self, document: YamlFile, tree: Tree, findings: list[Finding]) -> None:
        self._folder = posixpath.dirname(document.source.path)
        self._entries = document.entries
        self._anchors = {e.value[1:].split()[0]: e.path for e in self._entries if re.match(r"&\S", e.value)}
        self._twins = containers.twin_names(tree, findings)
        self._for_cuda = {f.path for f in findings if f.rule in fixed_in("rocm", Kind.DOCKERFILE) and blocking(f)}

    def lines(self) -> Iterator[str]:
        names = dict.fromkeys(e.path[1] for e in self._entries if e.path[:1] == ("services",) and len(e.path) > 1)
        for name in names:
            service = ("services", name)
            keys = self._takes_nvidias(service)
            if keys:
                yield f"{name}:"
                body = [*self._image(service), *(line for key in sorted(keys) for line in _RESETS[key]), *_DEVICES]
                yield from (f"  {line}" for line in body)

    def _below(self, path: Path) -> Iterator[tuple[Path, Entry]]:
        return ((e.path[len(path) :], e) for e in self._entries if e.path[: len(path)] == path)

    def _merged(self, path: Path) -> Iterator[Path]:
        """Where the mappings stand that this one takes over."""
        for rest, entry in self._below(path):
            anchor = self._anchors.get(entry.value[1:]) if rest == ("<<",) and entry.value.startswith("*") else None
            if anchor is not None and anchor != path:
                yield anchor

    def _takes_nvidias(self, path: Path, depth: int = 0) -> set[str]:
        """By which keys a service asks for NVIDIA's GPUs, itself or through what it takes over."""
        own: set[str] = set()
        found: set[str] = set()
        for rest, entry in self._below(path):
            own.update(rest[:1])
            aliased = self._anchors.get(entry.value[1:]) if entry.value.startswith("*") else None
            if rest[:1] == ("deploy",) and (
                _is_reservation(rest, entry)
                or (aliased and any(_is_reservation(("deploy", *r), e) for r, e in self._below(aliased)))
            ):
                found.add("deploy")
            elif rest == ("runtime",) and entry.value == "nvidia":
                found.add("runtime")
            elif rest == ("gpus",) and entry.value:
                found.add("gpus")
        if depth < 5:
            for other in self._merged(path):
                found |= self._takes_nvidias(other, depth + 1) - own
        return found

    def _value(self, path: Path, *keys: str, depth: int = 0) -> str | None:
        for rest, entry in self._below(path):
            if rest == keys and entry.value and not entry.value.startswith(("&", "*")):
                return entry.value
        values = (self._value(other, *keys, depth=depth + 1) for other in self._merged(path) if depth < 5)
        return next((value for value in values if value is not None), None)

    def _image(self, service: Path) -> Iterator[str]:
        """What says which image the service runs on AMD, where it is another one."""
        image = self._value(service, "image")
        context = self._value(service, "build") or self._value(service, "build", "context")
        if context is not None:
            name = self._value(service, "build", "dockerfile") or "Dockerfile"
            file = posixpath.normpath(posixpath.join(self._folder, context, name))
            if file in self._twins:
                twin = posixpath.relpath(self._twins[file], posixpath.dirname(file) or ".")
                yield from ("build:", f"  dockerfile: {posixpath.join(posixpath.dirname(name), twin)}")
                if image is not None:
                    yield f"image: {_plain(image)}{'-' if ':' in image else ':'}rocm"
            elif file in self._for_cuda:
                raise _Unknown
        elif image is not None and (twin_image := _IMAGES.get(image.partition(":")[0])):
            yield f"image: {twin_image}"
        else:  # whether somebody else's image has ROCm cannot be told
            raise _Unknown


def _is_reservation(rest: Path, entry: Entry) -> bool:
    return "devices" in rest and (
        (rest[-1] == "driver" and entry.value == "nvidia") or (rest[-1] == "capabilities" and entry.value == "gpu")
    )


def _plain(image: str) -> str:
    if not _PLAIN.fullmatch(image):
        raise _Unknown
    return image
