"""Questions: is what a gate asks ever answered the way it expects?

https://docs.pytorch.org/docs/stable/notes/hip.html"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.lang.python import PythonFile
from rewarp.verify.choices.view import View

Found = Iterator[tuple[ast.expr | ast.stmt, str]]
_PLATFORM_TEXT = re.compile(r"(?i)gfx\w+|rocm|hip|cuda|amd|nvidia|mi\d{3}x?")
_NOT_IN_VERSION = re.compile(r"(?i)rocm|hip|amd|gfx\w*")
_GFX = re.compile(r"gfx[0-9a-f]{1,5}")
_NAME_OF_ARCH = re.compile(r"(?i)gcn_?arch(_?name)?")
_DEVICE_NAME = "torch.cuda.get_device_name()"
"""How a call of it is written as a path, and what it is called here."""
_AMDS_HOME = re.compile(r"(?i)_*(rocm|hip)_*(home|path|dir|root)_*")
_NVIDIAS_HOME = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR")
_MASKS = re.compile(r"(HIP|ROCR|CUDA|GPU)_(VISIBLE_DEVICES|DEVICE_ORDINAL)")
_TRITON = b"triton"


def questions(view: View) -> Found:
    yield from _has_version(view)
    yield from _compared(view)
    yield from _always(view)
    yield from _arches(view)
    yield from _properties(view)
    yield from _never_given(view)
    yield from _environment(view)


def _has_version(view: View) -> Found:
    """``hasattr(torch.version, "hip")``: NVIDIA's torch has the name too, and None in it."""
    for call in view.document.nodes(ast.Call):
        if view.document.raw(call.func) != "hasattr" or len(call.args) != 2:
            continue
        name = view.document.string(call.args[1])
        if view.document.path(call.args[0]) != "torch.version" or name not in ("hip", "cuda"):
            continue
        child: ast.AST = call
        around: ast.AST = call
        for around in view.document.ancestors(call):
            if isinstance(around, ast.stmt):
                break
            child = around
        reads = (node for node in ast.walk(around) if isinstance(node, (ast.Attribute, ast.Call)))
        if child is not around and not any(_reads_version(view, node, name) for node in reads):
            yield call, f"every torch has torch.version.{name}: it is None where it is not that platform's"


def _reads_version(view: View, node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return view.document.path(node) == f"torch.version.{name}"
    is_getattr = isinstance(node, ast.Call) and view.document.raw(node.func) == "getattr" and len(node.args) > 1
    return is_getattr and isinstance(node, ast.Call) and view.document.string(node.args[1]) == name


def _compared(view: View) -> Found:
    """Texts that torch.version.hip ("6.4.43482-0f2d60242") and the name of a device ("AMD Instinct MI300X") never hold."""
    for compare in view.document.nodes(ast.Compare):
        if len(compare.ops) != 1:
            continue
        left, operator, right = compare.left, compare.ops[0], compare.comparators[0]
        if isinstance(operator, (ast.In, ast.NotIn)):
            text, whole = _text(view, left), right
        elif isinstance(operator, (ast.Eq, ast.NotEq)):
            text, whole = _text(view, right), left
        else:
            continue
        if not text:
            continue
        path = _origin(view, whole)
        if path == "torch.version.hip" and _NOT_IN_VERSION.fullmatch(text):
            yield compare, f"torch.version.hip is a number such as 6.4.43482-0f2d60242: {text} is not in it"
        elif path == _DEVICE_NAME and _GFX.match(text):
            yield compare, f"the name of a device is such as AMD Instinct MI300X: {text} is in gcnArchName"


def _text(view: View, node: ast.expr) -> str:
    """A text, or the text that stands first in the list that a comprehension goes through."""
    if isinstance(node, ast.Name):
        texts = _gone_through(view, node)
        return texts[0] if texts else ""
    return view.document.string(node) or ""


def _gone_through(view: View, name: ast.Name) -> list[str]:
    """The texts that a name stands for in ``any(... for name in ["gfx942", "gfx950"])``."""
    loop = view.document.loop(name)
    listed = view.document.value_of(loop.iter) if isinstance(loop, ast.comprehension) else None
    return view.document.texts(listed) if isinstance(listed, (ast.List, ast.Tuple, ast.Set)) else []


def _origin(view: View, node: ast.expr) -> str:
    """What an expression is in torch's words, through names for it."""
    value = view.document.value_of(node)
    path = view.document.path(node) or view.document.path(value) or ""
    if view.is_arch_name(node):
        return "gcnArchName"
    return _DEVICE_NAME if path.startswith("torch.cuda.get_device_name()") else path


def _always(view: View) -> Found:
    """``if "gfx1200" or "gfx1201" in name``: a text is true."""
    for node in view.document.nodes(ast.BoolOp):
        parent = view.document.parent(node)
        tested = isinstance(parent, (ast.If, ast.IfExp, ast.While)) and parent.test is node
        if not isinstance(node.op, ast.Or) or not (tested or isinstance(node.values[-1], ast.Compare)):
            continue
        for value in node.values[:-1]:
            text = view.document.string(value) if isinstance(value, ast.Constant) else None
            if text and _PLATFORM_TEXT.fullmatch(text):
                yield node, f"this always holds: {text!r} is true by itself, and is not compared"


def _arches(view: View) -> Found:
    """Architectures held against gcnArchName ("gfx942:sramecc+:xnack-") so that none is found."""
    for compare in view.document.nodes(ast.Compare):
        if len(compare.ops) != 1:
            continue
        left, operator, right = compare.left, compare.ops[0], compare.comparators[0]
        if isinstance(operator, ast.In) and _origin(view, left) == "gcnArchName":
            texts = [view.document.string(right) or ""]
            if isinstance(right, ast.Name):
                texts = _gone_through(view, right)
            if texts and all(map(_GFX.fullmatch, texts)):
                yield compare, f"the whole of gcnArchName is looked for in {texts[0]}: it is the longer one"
        elif isinstance(operator, ast.Eq):
            for name, whole in ((left, right), (right, left)):
                texts = _gone_through(view, name) if isinstance(name, ast.Name) else []
                if texts and all(map(_GFX.fullmatch, texts)) and _origin(view, whole) == "gcnArchName":
                    yield (
                        compare,
                        "gcnArchName goes on after the architecture (gfx942:sramecc+:xnack-), so it is none of these",
                    )
        if isinstance(operator, ast.In) and isinstance(left, ast.Name):
            texts = _gone_through(view, left)
            around = next((a for a in view.document.ancestors(compare) if isinstance(a, ast.Call)), None)
            is_all = around is not None and view.document.raw(around.func) == "all"
            apart = len(texts) > 1 and not any(a != b and b.startswith(a) for a in texts for b in texts)
            if is_all and apart and len(set(texts)) > 1 and all(map(_GFX.fullmatch, texts)):
                yield compare, f"no GPU is {' and '.join(texts[:2])} at once"


def _properties(view: View) -> Found:
    for node in view.document.nodes(ast.Attribute):
        if not _NAME_OF_ARCH.fullmatch(node.attr) or node.attr == "gcnArchName" or not isinstance(node.ctx, ast.Load):
            continue
        is_properties = view.document.path(node.value) == "torch.cuda.get_device_properties()"
        if is_properties and not view.document.caught(node, "AttributeError"):
            yield node, f"torch's properties of a device have no {node.attr}: the name is gcnArchName"


_PLATFORM_WORDS = frozenset({"rocm", "hip", "amd", "cuda", "nvidia"})
_TARGET = re.compile(r"(?:.*\.)?(?:target|get_current_target\(\))\.backend")


def _never_given(view: View) -> Found:
    """``SYSTEM == "hip"`` where SYSTEM is "rocm", "cuda" or "cpu"; and Triton's back end, which is "hip"."""
    for compare in view.document.nodes(ast.Compare):
        if len(compare.ops) != 1 or not isinstance(compare.ops[0], (ast.Eq, ast.NotEq)):
            continue
        word = compare.comparators[0].value if isinstance(compare.comparators[0], ast.Constant) else None
        if not isinstance(word, str) or word not in _PLATFORM_WORDS:
            continue
        if (
            word in ("rocm", "amd")
            and _TARGET.fullmatch(view.document.raw(compare.left))
            and _TRITON in view.document.source.data
        ):
            yield compare, f"Triton calls AMD's back end hip, and never {word}"
        if isinstance(compare.left, ast.Name):
            values = _given(view, compare.left)
            if len(values) > 1 and values & _PLATFORM_WORDS and word not in values:
                yield compare, f"{compare.left.id} is one of {', '.join(sorted(values))}, and never {word}"


def _given(view: View, name: ast.Name) -> set[str]:
    """All the texts that a module's variable is ever given, this one's or another's, whatever the platform; empty where one is
    not known."""
    document, known_as = view.document, name.id
    bindings = view.document.bindings(name)
    if len(bindings) == 1 and bindings[0].path:
        found = view.modules.find(view.path, bindings[0].path)
        if found is None or not isinstance(found[0], PythonFile):
            return set()
        document, known_as = found
    assigns = [
        assign.value
        for assign in document.nodes(ast.Assign)
        if any(
            isinstance(part, ast.Name) and part.id == known_as for target in assign.targets for part in ast.walk(target)
        )
    ]
    stores = [n for n in document.nodes(ast.Name) if n.id == known_as and not isinstance(n.ctx, ast.Load)]
    texts = [value.value for value in assigns if isinstance(value, ast.Constant)]
    others = [node for node in document.nodes(ast.Global) if known_as in node.names]
    parameters = [node for node in document.nodes(ast.arg) if node.arg == known_as]
    if (
        others
        or parameters
        or len(stores) != len(texts)
        or any(text is not None and not isinstance(text, str) for text in texts)
    ):
        return set()
    return {text for text in texts if isinstance(text, str)}


# --- variables ----------------------------------------------------------------------


def _environment(view: View) -> Found:
    yield from _asked_and_read(view)
    for assign in view.document.nodes(ast.Assign):
        name = view.document.raw(assign.targets[0]).rpartition(".")[2] if len(assign.targets) == 1 else ""
        if _AMDS_HOME.fullmatch(name):
            read = {v for node in ast.walk(assign.value) if (v := _variable(view, node))}
            paths = {
                view.document.path(node)
                for node in ast.walk(assign.value)
                if isinstance(node, (ast.Name, ast.Attribute))
            }
            if read and read <= set(_NVIDIAS_HOME) and not any("ROCM" in (p or "").upper() for p in paths):
                yield assign, f"{name} is where {sorted(read)[0]} says, which is NVIDIA's toolkit"


def _asked_and_read(view: View) -> Found:
    """``if "HIP_VISIBLE_DEVICES" in os.environ: os.environ["ROCR_VISIBLE_DEVICES"]``"""
    for fork in view.document.nodes(ast.If):
        test = fork.test
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.In)):
            continue
        asked = view.document.string(test.left) or ""
        if not _MASKS.fullmatch(asked) or view.document.path(test.comparators[0]) != "os.environ":
            continue
        inside = [node for part in fork.body for node in ast.walk(part)]
        read = [(v, node) for node in inside if isinstance(node, ast.Subscript) and (v := _variable(view, node))]
        if any(view.document.string(node) == asked for node in inside if isinstance(node, ast.expr)):
            continue
        for variable, node in read:
            if isinstance(node.ctx, ast.Load) and _MASKS.fullmatch(variable):
                yield node, f"{asked} is asked for, and {variable} is read, which need not be set"


def _variable(view: View, node: ast.AST) -> str:
    """The variable of the environment that an expression reads."""
    if isinstance(node, ast.Subscript) and view.document.path(node.value) == "os.environ":
        return view.document.string(node.slice) or ""
    if isinstance(node, ast.Call) and node.args and view.document.path(node.func) in ("os.getenv", "os.environ.get"):
        return view.document.string(node.args[0]) or ""
    return ""
