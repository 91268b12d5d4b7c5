"""A Dockerfile for AMD beside each one that is built on NVIDIA's images."""

from __future__ import annotations

import codecs
import posixpath
import re
from collections.abc import Collection

from rewarp.errors import UnreadableSource
from rewarp.findings import Finding
from rewarp.lang.dockerfile import Dockerfile, Instruction
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.requirements import RequirementsFile
from rewarp.port.changes import Change, PhaseResult, PortContext, PortPhase
from rewarp.port.packaging import requirements
from rewarp.port.packaging.base_image import NVIDIA_IMAGE, OWN_PYTHON, BaseImage, names_list
from rewarp.port.packaging.entry_scripts import builds_for_cuda
from rewarp.port.packaging.images import pinned_against_image
from rewarp.port.packaging.shell_steps import in_rocm, translate_run, without_environments
from rewarp.port.packaging.twins import cannot_be_had
from rewarp.port.tree import Tree
from rewarp.registry import Trait, fixed_in, is_about
from rewarp.source import SourceFile
from rewarp.verdict import blocking

_FOR_CUDA = re.compile(r"(?i)(?<![a-z])(cuda|nvidia|gpu|cu\d{2,3})(?![a-z])")
_FOR_AMD = re.compile(r"(?i)(?<![a-z])(rocm|hip|amd)(?![a-z])")
_BASE_IMAGE = re.compile(
    r"(?i)(docker\.io/)?(nvidia/(cuda|cudagl|pytorch)|nvcr\.io/nvidia/(cuda|pytorch)|pytorch/(pytorch|conda-cuda|manylinux[\w-]*))(:\S*)?"
)
"""Images that hold CUDA and perhaps torch, and nothing of a project's own."""
_ENV_PAIR = re.compile(r"""\b([A-Za-z_]\w*)=("(?:\\.|[^"\\])*"|'[^']*'|[^\s\\]*)""", re.S)
_DIRECTIVES = re.compile(rb"(?:#[ \t]*(?:syntax|escape|check)[ \t]*=[^\n]*\n)*")
"""Comments that mean something, and only at the top."""
_OLD_IMAGE = re.compile(rb"(?im)^[ \t]*FROM[ \t]+\S*pytorch:[01]\.")
_PINNED = re.compile(rb"(?im)^[ \t]*((?:numpy|scipy|pandas|scikit-learn|matplotlib|pillow|opencv-python\S*)==\S+)")
"""Packages with compiled code, of which each version is built for the Pythons of its time."""
_NEEDS_TORCH = re.compile(rb"(?m)^[ \t]*torch\b|\bimport torch\b|from torch\b")
_RENAMED = {
    "CUDA_HOME": "ROCM_PATH",
    "CUDA_PATH": "ROCM_PATH",
    "CUDA_VISIBLE_DEVICES": "HIP_VISIBLE_DEVICES",
}
_HOLD = """\
# pip must not replace the image's torch, which is built for ROCm, by PyPI's, which is for CUDA.
RUN pip list --format=freeze | grep -E "^(torch|torchvision|torchaudio|triton|pytorch-triton-rocm)==" > /etc/torch-rocm.txt
ENV PIP_CONSTRAINT=/etc/torch-rocm.txt UV_CONSTRAINT=/etc/torch-rocm.txt
"""
_ARCH = """\
# A build has no GPU to ask: docker build --build-arg PYTORCH_ROCM_ARCH=gfx942 (rocminfo on the machine tells its name)
ARG PYTORCH_ROCM_ARCH
ENV PYTORCH_ROCM_ARCH=${PYTORCH_ROCM_ARCH}
"""
_WHY = "The image for AMD GPUs; {} stays as it is for NVIDIA."


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    findings = tree.findings(context.target)
    names = requirements.twin_names(tree, findings) if "lists" in context.options.wanted else {}
    torch = asks_for_torch(tree)
    for path, new_path in twin_names(tree, findings).items():
        try:
            document = Dockerfile(SourceFile(path, tree.read(path) or b""), Kind.DOCKERFILE)
            image = BaseImage.of(document, tree, torch)
            text = _Translation(document, names, image).text()
        except UnreadableSource:
            continue
        rules = tuple(sorted({finding.rule for finding in findings if finding.path == path}))
        result.changes.append(Change(new_path, text.encode(), PortPhase.ENVIRONMENT, _WHY.format(path), rules))
    return result


def asks_for_torch(tree: Tree) -> bool:
    """Whether the project uses torch: its image then starts from one that has it."""
    asking = (SourceFile(path, tree.read(path) or b"") for path in tree.paths() if _may_ask_for_torch(path))
    return any(_NEEDS_TORCH.search(source.data.removeprefix(source.bom)) for source in asking)


def _may_ask_for_torch(path: str) -> bool:
    return kind_of_path(path) in (Kind.REQUIREMENTS, Kind.PYTHON)


def has_amd_image(tree: Tree) -> bool:
    """Whether a Dockerfile of the project is for AMD by its path."""
    return any(_FOR_AMD.search(path) and kind_of_path(path) is Kind.DOCKERFILE for path in tree.paths())


def twin_names(tree: Tree, findings: list[Finding]) -> dict[str, str]:
    """The Dockerfile that each one with findings gets beside it."""
    found: dict[str, str] = {}
    if has_amd_image(tree):
        return found
    left = set(left_alone(tree, findings))
    for finding in findings:
        if _is_nvidias(finding) and finding.path not in left:
            new = twin_name(finding.path)
            if new not in found.values():
                found.setdefault(finding.path, new)
    return found


def _is_nvidias(finding: Finding) -> bool:
    asked = finding.rule in fixed_in("rocm", Kind.DOCKERFILE)
    return asked and blocking(finding) and kind_of_path(finding.path) is Kind.DOCKERFILE


def _holds_more(finding: Finding) -> bool:
    """Whether a Dockerfile starts from an image of NVIDIA's that holds more than CUDA and torch."""
    starts = _is_nvidias(finding) and finding.snippet.upper().startswith("FROM")
    return starts and _BASE_IMAGE.fullmatch(finding.symbol) is None


def left_alone(tree: Tree, findings: list[Finding]) -> dict[str, str]:
    """Dockerfiles that get none beside them, and why: the image would not build, or not hold what it needs."""
    found: dict[str, str] = {}
    torch = asks_for_torch(tree)
    for path in {finding.path for finding in findings if _is_nvidias(finding)}:
        step = next(
            (f for f in findings if f.path == path and is_about(f.rule, Trait.BUILDS_FOR_CUDA) and blocking(f)), None
        )
        if step is not None:
            found[path] = f"line {step.line} builds for CUDA ({step.message}): say first how that is built for AMD"
        elif image := next((f.symbol for f in findings if f.path == path and _holds_more(f)), ""):
            found[path] = f"what {image} holds besides CUDA is in no image for AMD: build that one for AMD first"
        elif own := _own_python(path, tree, torch):
            found[path] = own
        elif asked := _installs_for_cuda(path, tree, findings, requirements.twin_names(tree, findings)):
            found[path] = f"it installs {asked}, which asks for CUDA's wheels and has no list for AMD beside it"
        elif against := _against_the_image(path, tree, requirements.twin_names(tree, findings)):
            found[path] = against
        elif old := _pinned_for_old_python(path, tree):
            found[path] = (
                f"{old} is pinned in the days of the image's old torch: it has no wheel for the Python of an image for AMD"
            )
        elif script := _starts_build(path, tree):
            found[path] = f"it runs {script}, which builds for CUDA: that comes first"
        elif unknown := _unknown_step(path, tree, torch):
            found[path] = f"line {unknown[0]} has no sure meaning on an image for AMD: {unknown[1]}"
    return found


def _installs_for_cuda(path: str, tree: Tree, findings: list[Finding], twins: dict[str, str]) -> str | None:
    """A list of requirements that cannot be installed on an image for AMD, and that the Dockerfile names."""
    text = tree.read(path) or b""
    lists = {f.path for f in findings if kind_of_path(f.path) is Kind.REQUIREMENTS and blocking(f)} - twins.keys()
    return next((name for name in sorted(lists) if names_list(text, path, name, tree)), None)


def _against_the_image(path: str, tree: Tree, twins: Collection[str]) -> str | None:
    """Why pip would not install a list that the Dockerfile names: a pin of what the image for AMD brings and holds."""
    text = tree.read(path) or b""
    if OWN_PYTHON.search(text):
        return None
    for name in sorted(set(tree.paths()) - set(twins)):
        if kind_of_path(name) is not Kind.REQUIREMENTS or not names_list(text, path, name, tree):
            continue
        for item in RequirementsFile(SourceFile(name, tree.read(name) or b""), Kind.REQUIREMENTS).requirements:
            if why := pinned_against_image(item) or cannot_be_had(item):
                return f"it installs {name}, which asks for {item.text.split(';')[0].strip()}: {why}"
    return None


def _pinned_for_old_python(path: str, tree: Tree) -> str | None:
    """A requirement that is pinned where the image is one of torch 1: of that age nothing is built for today's Python."""
    text = _unmarked(tree, path)
    if not _OLD_IMAGE.search(text):
        return None
    for name in tree.paths():
        if kind_of_path(name) is Kind.REQUIREMENTS and names_list(text, path, name, tree):
            if pinned := _PINNED.search(_unmarked(tree, name)):
                return pinned[1].decode("utf-8", "replace")
    return None


def _unmarked(tree: Tree, path: str) -> bytes:
    """A file without a byte order mark in front of its first line."""
    return (tree.read(path) or b"").removeprefix(codecs.BOM_UTF8)


def _own_python(path: str, tree: Tree, torch: bool) -> str | None:
    """Why a Python that the Dockerfile sets up itself would be without torch on AMD; None where it is not, or has none."""
    own = OWN_PYTHON.search(tree.read(path) or b"")
    document = _read(path, tree) if own and torch else None
    if own is None or (document is not None and BaseImage.of(document, tree, torch).packages):
        return None
    return (
        f"it sets up a Python of its own ({own[0].decode().strip()}), which does not see the torch of an image "
        "for AMD: install torch there from PyTorch's index for ROCm"
    )


def _starts_build(path: str, tree: Tree) -> str | None:
    try:
        return builds_for_cuda(_read(path, tree), tree)
    except UnreadableSource:
        return None


def _read(path: str, tree: Tree) -> Dockerfile:
    return Dockerfile(SourceFile(path, tree.read(path) or b""), Kind.DOCKERFILE)


def _unknown_step(path: str, tree: Tree, torch: bool) -> tuple[int, str] | None:
    try:
        document = _read(path, tree)
        return BaseImage.of(document, tree, torch).unknown_step(document)
    except UnreadableSource as error:
        return 1, error.reason


def twin_name(path: str) -> str:
    folder, name = posixpath.split(path)
    stem, suffix = posixpath.splitext(name)
    if _FOR_CUDA.search(name):
        return posixpath.join(folder, _FOR_CUDA.sub("rocm", name, count=1))
    if suffix.lower() in (".dockerfile", ".containerfile"):
        return posixpath.join(folder, f"{stem}-rocm{suffix}")
    return posixpath.join(folder, f"{name}.rocm")


class _Translation:
    def __init__(self, document: Dockerfile, requirement_names: dict[str, str], image: BaseImage) -> None:
        self._document, self._base, self._torch = document, image, image.torch
        self._requirements = requirement_names
        self._kept: set[str] = set()
        """Files of the image that hold the requirements for AMD under the name that the image for NVIDIA has for them."""
        self._stages: set[str] = set()
        self._arch_is_told = False
        self._environments: set[str] = set()
        asked = {name for item in document.instructions if item.name == "FROM" for name in _variables(item.value)}
        self._image_arguments = {
            item.name
            for item in document.env_sets
            if item.name in asked and item.value and NVIDIA_IMAGE.search(item.value)
        }
        """Arguments whose default is an image of NVIDIA's."""
        elsewhere = {
            n for item in document.instructions if item.name not in ("FROM", "ARG") for n in _variables(item.value)
        }
        kept = {n for item in document.instructions if item.name == "FROM" for n in self._kept_in(item.value)}
        self._idle_arguments = asked - elsewhere - kept - self._image_arguments
        """Arguments that say only which image of NVIDIA's it is."""

    @staticmethod
    def _kept_in(value: str) -> list[str]:
        """The variables of a FROM that stays as it is written."""
        return [] if NVIDIA_IMAGE.search(value) else _variables(value)

    def text(self) -> str:
        """The instructions in order, with the comments and blank lines between them."""
        view = self._document.source.view
        directives = _DIRECTIVES.match(view)
        at = directives.end() if directives else 0
        parts: list[str] = [_text(view[:at]), f"# {self._document.source.path} for AMD GPUs.\n"]
        for item in self._document.instructions:
            start = view.rfind(b"\n", 0, item.span.start) + 1
            end = max([item.span.end, *(body.end for body in item.bodies)])
            line_end = view.find(b"\n", end)
            if item.bodies:  # the word that ends the here-document
                line_end = view.find(b"\n", max(line_end, end))
            stop = len(view) if line_end < 0 else line_end + 1
            between, new = _text(view[at:start]), self._instruction(item, _text(view[start:stop]))
            parts += [between if new or item.name != "ARG" else _without_last_comments(between), new]
            at = stop
        text = "".join([*parts, _text(view[at:])])
        return text if text.endswith("\n") else text + "\n"

    def _instruction(self, item: Instruction, written: str) -> str:
        if item.name == "FROM":
            return self._from(item, written)
        if item.name == "ARG" and item.value.partition("=")[0].strip() in self._idle_arguments:
            return ""
        if item.name in ("ENV", "ARG"):
            return self._environment(item, written)
        if item.name == "RUN":
            if item.bodies:
                return written
            run = translate_run(written, item.value, self._in_image, self._environments if self._torch else None)
            return self._base.install() + run if item is self._base.before else run
        if item.name in ("COPY", "ADD"):
            return self._copy(item, written)
        return in_rocm(without_environments(written, self._environments))

    def _from(self, item: Instruction, written: str) -> str:
        self._arch_is_told = False
        words = item.value.split()
        image = next((word for word in words if not word.startswith("--")), "")
        if "as" in [word.lower() for word in words[:-1]]:
            self._stages.add(words[-1].lower())
        if self._image_arguments & set(_variables(image)):
            return written + self._after_from(self._torch)
        if image.lower() in self._stages or not NVIDIA_IMAGE.search(image):
            return written
        new = self._base.image(image)
        return (
            f"# {image} is NVIDIA's.\n"
            + written.replace(image, new, 1)
            + self._after_from(new.startswith("rocm/pytorch"))
        )

    def _after_from(self, torch: bool) -> str:
        return _HOLD if torch else ""

    def _environment(self, item: Instruction, written: str) -> str:
        pairs = [(m[1], m[2]) for m in _ENV_PAIR.finditer(item.value)]
        if not pairs:  # ARG NAME, or the old form ENV NAME value
            name, _, value = item.value.partition(" ")
            pairs = [(name, value.strip())] if value else []
        kept: list[str] = []
        gone: list[str] = []
        for name, value in pairs:
            new = self._variable(item.name, name, value)
            (kept if new else gone).append(new or name)
        if kept == ["PATH=$PATH"]:
            return ""
        if not pairs or (not gone and kept == [f"{name}={value}" for name, value in pairs]):
            return written
        arch = _ARCH if any(n == "TORCH_CUDA_ARCH_LIST" for n, _ in pairs) and not self._arch_is_told else ""
        self._arch_is_told = self._arch_is_told or bool(arch)
        idle = [name for name in gone if name != "TORCH_CUDA_ARCH_LIST"]
        told = f"# Without a meaning on AMD: {', '.join(idle)}\n" if idle else ""
        return told + (f"{item.name} {' '.join(kept)}\n" if kept else "") + arch

    def _variable(self, kind: str, name: str, value: str) -> str | None:
        if name.startswith("NVIDIA_") or name == "TORCH_CUDA_ARCH_LIST":
            return None
        if kind == "ARG" and name in self._image_arguments:
            return f"{name}={self._base.image(value)}"
        if name in ("CUDA_HOME", "CUDA_PATH"):
            return f"{_RENAMED[name]}=/opt/rocm"
        if value.strip("\"'") in self._environments:  # VIRTUAL_ENV
            return None
        value = in_rocm(without_environments(value, self._environments))
        return f"{_RENAMED.get(name, name)}={value}"

    def _copy(self, item: Instruction, written: str) -> str:
        source = re.search(r"--from=(\S+)", item.value)
        if source and source[1].lower() not in self._stages and NVIDIA_IMAGE.search(source[1]):
            return "# From an image of NVIDIA's; say where AMD's version of this comes from:\n# " + written
        *sources, target = [word for word in item.value.split() if not word.startswith("--")] or [""]
        if source or item.value.startswith("["):
            return written
        renames = len(sources) == 1 and not target.endswith("/") and posixpath.basename(target) not in (".", "..")
        for path in sources:
            new = self._for_amd(path)
            if new != path:
                written = re.sub(rf"(?<![\w./-]){re.escape(path)}(?=\s)", new, written, count=1)
            if renames:
                self._kept.add(target)
            elif new == path:
                self._kept.add(posixpath.join(target, posixpath.basename(path)))
        return written

    def _for_amd(self, path: str) -> str:
        """A file of the build's context, which is the project or the Dockerfile's folder."""
        here = posixpath.dirname(self._document.source.path)
        for whole in (posixpath.normpath(path), posixpath.normpath(posixpath.join(here, path))):
            if whole in self._requirements:
                return path.removesuffix(posixpath.basename(path)) + posixpath.basename(self._requirements[whole])
        return path

    def _in_image(self, path: str) -> str:
        """A requirements file as a command in the image names it."""
        folder, slash, name = path.rpartition("/")
        twins = {posixpath.basename(old): posixpath.basename(new) for old, new in self._requirements.items()}
        return path if path in self._kept else folder + slash + twins.get(name, name)


def _variables(text: str) -> list[str]:
    return re.findall(r"\$\{?(\w+)", text)


def _without_last_comments(text: str) -> str:
    lines = text.split("\n")
    while len(lines) > 1 and not lines[-1] and lines[-2].lstrip(" \t").startswith("#"):
        del lines[-2]
    return "\n".join(lines)


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
