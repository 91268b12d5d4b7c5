"""Shapes that many build rules share: which Python files build something, and which strings are compiler options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from rewarp.findings import Severity
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.makefile import Makefile
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION, knows_hip
from rewarp.source import Span
from rewarp.tables.nvcc import Flag, flags
from rewarp.targets import Context

MAKEFILE = "A Makefile.rocm beside it takes the same targets and gives them hipcc; the Makefile itself is not touched."
BUILD_ANCHORS = (
    *("setuptools", "distutils", "skbuild", "cpp_extension"),
    *("nvcc_args", "nvcc_flags", "NVCC_ARGS", "NVCC_FLAGS", "extra_cuda_cflags"),
)
"""Words of which every Python file that builds something holds one."""
_GPU_NAME = re.compile(r"(?i)nvcc|cuda|gencode|gpu|cc_flag|arch_flag")
_OTHER_NAME = re.compile(r"(?i)hip|rocm|amdgpu|sycl|xpu|npu|mps|metal|musa|link|ldflags")
_FILTER_NAME = re.compile(r"(?i)ignor|skip|exclu|filter|prefix|remov|drop|strip|unsupported|expected")
_PASSING = {"append", "extend", "insert", "add", "update", "setdefault"}
_TEXT_METHODS = {"format", "split", "strip", "rstrip"}
_OPTION_KEYWORD = re.compile(r"(?i).*(flags|args|options|cxx|nvcc).*")
_COMMANDS = re.compile(r"subprocess\.\w+|os\.(system|popen)")

CUDA_EXTENSIONS = (
    *("flash_attn_2_cuda", "flash_attn_3_cuda", "selective_scan_cuda", "causal_conv1d_cuda", "fused_ssim_cuda"),
    *("xentropy_cuda_lib", "spmm_cuda", "deform_conv_cuda", "fused_weight_gradient_mlp_cuda", "fused_dense_cuda"),
    *("amp_C", "scaled_softmax_cuda", "syncbn_cuda", "knn_cuda", "pointnet2_cuda"),
)
"""Modules of well-known extensions, each built from CUDA sources."""


class Option(NamedTuple):
    """A string that ends up among compiler options, and the names it passes on its way there."""

    text: str
    node: ast.expr
    names: tuple[str, ...]

    @property
    def for_gpu(self) -> bool:
        """Whether those names speak of the GPU compiler."""
        return any(_GPU_NAME.search(name) for name in self.names) and not self.for_other

    @property
    def for_compiling(self) -> bool:
        """Whether they speak of compiling and not of linking."""
        names = " ".join(self.names).lower()
        return bool(re.search(r"cxx|cflags|compile", names)) and not re.search(r"link|ldflags", names)

    @property
    def for_other(self) -> bool:
        """Whether they speak of another compiler or of the linker."""
        return any(_OTHER_NAME.search(name) for name in self.names)


def options(document: PythonFile) -> Iterator[Option]:
    """Strings of a build file that are put into a list, returned, or given to a compiler."""
    texts: list[ast.expr] = [*document.strings, *document.nodes(ast.JoinedStr)]
    for node in texts:
        if isinstance(document.parent(node), (ast.JoinedStr, ast.FormattedValue)):
            continue
        text = document.string(node)
        if text and text.lstrip().startswith(("-", "{}", "nvcc ")):
            names = _way(document, node)
            if names is not None and not any(_FILTER_NAME.search(name) for name in names):
                yield Option(text, node, tuple(names))


def _way(document: PythonFile, node: ast.expr) -> list[str] | None:
    """The names a string passes on its way to a compiler; None when it does not go there."""
    names: list[str] = []
    child: ast.AST = node
    parent = document.parent(node)
    while parent is not None:
        if isinstance(parent, (ast.List, ast.Tuple, ast.Starred, ast.BinOp, ast.ListComp, ast.GeneratorExp)):
            pass
        elif isinstance(parent, ast.IfExp):
            if child is parent.test:
                return None
        elif isinstance(parent, ast.Dict):
            if child in parent.keys:
                return None
            key = parent.keys[parent.values.index(child)] if child in parent.values else None
            names.append(document.string(key) or "")
        elif isinstance(parent, ast.Attribute):
            if parent.attr not in _TEXT_METHODS:
                return None
        elif isinstance(parent, ast.keyword):
            names.append(parent.arg or "")
        elif isinstance(parent, ast.Call):
            if child is not parent.func:  # an argument
                if isinstance(parent.func, ast.Name) and isinstance(child, (ast.List, ast.BinOp)):
                    child, parent = parent, document.parent(parent)
                    continue  # a helper that adds to the list: follow what it returns
                if not _takes_options(document, parent, child):
                    return None
                names.append(document.raw(parent.func))
                if isinstance(parent.func, ast.Attribute):
                    names += _target_names(document, parent.func.value)
                return [*names, *_function_name(document, parent)]
        elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            for target in targets:
                names += _target_names(document, target)
            return [*names, *_function_name(document, parent)]
        elif isinstance(parent, (ast.Return, ast.Yield)):
            return [*names, *_function_name(document, parent)]
        else:
            return None
        child, parent = parent, document.parent(parent)
    return None


def _takes_options(document: PythonFile, call: ast.Call, argument: ast.AST) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in _PASSING:
        return True
    if isinstance(argument, ast.keyword) and _OPTION_KEYWORD.fullmatch(argument.arg or ""):
        return True
    path = document.path(function) or ""
    return bool(_COMMANDS.fullmatch(path)) or path.startswith(EXTENSION + ".")


def _target_names(document: PythonFile, target: ast.AST) -> list[str]:
    names: list[str] = []
    while isinstance(target, ast.Subscript):
        names.append(document.string(target.slice) or "")
        target = target.value
    return [*names, document.raw(target)]


def _function_name(document: PythonFile, node: ast.AST) -> list[str]:
    function: Any = document.enclosing(node, ast.FunctionDef)
    return [function.name] if function is not None else []


def gpu_flags(document: PythonFile) -> Iterator[tuple[Option, Flag]]:
    """nvcc options in a build file that would reach the HIP compiler."""
    for option in options(document):
        for flag in flags(option.text):
            if option.for_other and not flag.sure:
                continue
            if flag.sure or option.for_gpu or _beside_gpu_flag(document, option):
                yield option, flag


def _beside_gpu_flag(document: PythonFile, option: Option) -> bool:
    siblings = document.parent(option.node)
    if not isinstance(siblings, (ast.List, ast.Tuple)):
        return False
    return any(flag.sure for item in siblings.elts for flag in flags(document.string(item) or ""))


_PLATFORM = re.compile(r"(?i)cuda|nvcc|nvidia|hip|rocm|amd(?!64)|gpu_runtime|platform|backend")
_NVIDIAS = re.compile(r"(?i)(?:.*_)?(?:cuda|nv|nvcc|nvidia|cu|amgx|cudss|nvshmem|tensorrt)(?:_.*)?|nvcc.*|cuda.*")
HIPCC = re.compile(rb"^[^#\n]*\bhipcc\b", re.M)


def names_platform(conditions: Iterable[str]) -> bool:
    """Whether one of these asks for a platform."""
    return any(map(_PLATFORM.search, conditions))


@lru_cache(maxsize=4)
def _knows_hipcc(document: Makefile) -> bool:
    """Every variable and command of a Makefile asks."""
    return b"hipcc" in document.source.view and HIPCC.search(document.source.view) is not None


def mild_in_make(document: Makefile, context: Context, place: Span, variable: str = "") -> Severity | None:
    """INFO in a Makefile that knows hipcc. In a port it is only where a condition that names platforms, or the name of the variable,
    says that it may be NVIDIA's side."""
    conditions = document.conditions(place.start)
    if _has_a_twin(conditions, document.source.view):
        return Severity.INFO
    if not _knows_hipcc(document):
        return None
    sided = _NVIDIAS.fullmatch(variable) or names_platform(conditions)
    return None if context.ported and not sided else Severity.INFO


_SWITCH = re.compile(r"\b\w*(?:USE|WITH|ENABLE|HAVE|BUILD)_CUDA\b")
_OTHERWISE = re.compile(r"\b(?:NOT|OR)\b|ifneq|ifndef|!")


def _has_a_twin(conditions: Iterable[str], view: bytes) -> bool:
    """Whether a condition asks for the project's own switch for CUDA, and the same file asks for the one for HIP elsewhere."""
    names = (name for one in conditions if not _OTHERWISE.search(one) for name in _SWITCH.findall(one))
    return any(name.replace("CUDA", word).encode() in view for name in names for word in ("HIP", "ROCM"))


_CUDA_FOUND = re.compile(r"\b(CUDA\w*_FOUND|CMAKE_CUDA_COMPILER|CAFFE2_(USE|FOUND)_CUDA)\b")
"""What a search for CUDA, or a package that was built with it, answers."""
_NOT_FOUND = re.compile(r"NOT \$?\{?(CUDA\w*_FOUND|CMAKE_CUDA_COMPILER)\}?")


def milder(document: CMakeFile, call: CMakeCommand) -> Severity | None:
    """INFO for a command that an AMD build passes by: the file has an AMD side, or CUDA must have been found."""
    holding = [condition for condition, holds in call.conditions if holds]
    found = any(map(_CUDA_FOUND.search, holding)) or _has_a_twin(holding, document.source.view)
    return Severity.INFO if found or knows_hip(document) or _is_left_before(document, call) else None


def _is_left_before(document: CMakeFile, call: CMakeCommand) -> bool:
    """Whether ``if(NOT CUDA_FOUND) return() endif()`` stands before a command of a module: without CUDA it ends there, and a
    function's return() ends the function alone. What a project's own list leaves out is its GPU part, which a port must see."""
    if document.source.path.endswith("CMakeLists.txt"):
        return False
    ends: list[tuple[tuple[tuple[str, bool], ...], int]] = []
    functions = 0
    for other in document.calls:
        if other.where.start >= call.where.start:
            break
        if other.name in ("function", "macro"):
            functions += 1
        elif other.name in ("endfunction", "endmacro"):
            ends = [(outer, depth) for outer, depth in ends if depth < functions]
            functions -= 1
        elif other.name == "return" and other.conditions:
            condition, holds = other.conditions[-1]
            if holds and _NOT_FOUND.fullmatch(condition):
                ends.append((other.conditions[:-1], functions))
    return any(call.conditions[: len(outer)] == outer and depth == functions for outer, depth in ends)
