"""FP8 by the format's name: does each side of a question about fnuz have its own format, and are codes carried over whole?

The bits of an e4m3fn number mean half as much in e4m3fnuz, and 0x80, minus zero in the one, is NaN in the other.
https://github.com/vllm-project/vllm/pull/12134"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.targets.rocm import capability_of
from rewarp.verify.choices.view import Side, View, asks_for_fnuz, branches, walk

Found = Iterator[tuple[ast.expr | ast.stmt, str]]
_FNUZ = re.compile(r"(?i)fnuz")
_FORMAT = re.compile(
    r"(?:torch|tl|triton\.language|jnp|jax\.numpy|ml_dtypes)\.float8_?e([45])(m[23](?:fnuz|fn)?|b8|b16|nv)?"
)
_TORCH = re.compile(r"torch\.float8_e([45])m[23](fn|fnuz)?")
_TO_FNUZ = re.compile(r"(?i)\w*e4m3(?:fn)?_to_\w*e4m3_?fnuz\w*")
_NAMED = re.compile(r"float8_e[45]m[23](?:fnuz|fn)?(?!\w)")
_SCALE = re.compile(r"(?i)\w*scale\w*")
_SETS = re.compile(r"(?i)(?:^|\.)(?:where|masked_\w+|nan_to_num\w*|index_\w+|\w*zero\w*|\w*nan\w*)$")
_CACHES = (("k_", "v_"), ("key_", "value_"))


def scales(view: View, arch: str | None) -> Found:
    if not _FNUZ.search(view.document.source.data.decode("utf-8", "replace")):
        return
    yield from _sides(view)
    yield from _pairs(view)
    yield from _told(view)
    for function in view.document.nodes(ast.FunctionDef):
        if _TO_FNUZ.fullmatch(function.name):
            yield from _carried_over(view, function)
        if _FNUZ.search(function.name) and arch is not None and arch.startswith("gfx94"):
            yield from _capability(view, function, arch)


# --- formats ----------------------------------------------------------------------


def _format(view: View, node: ast.expr | None) -> tuple[str, bool] | None:
    """How many bits of exponent a format has, and whether it is fnuz."""
    found = _FORMAT.fullmatch(view.document.path(node) or view.document.raw(node)) if node is not None else None
    if found is None:
        return None
    rest = found[2] or ""
    return found[1], rest.endswith("fnuz") or rest in ("b8", "b16")


def _given(view: View, side: Side) -> Iterator[tuple[str, ast.expr, tuple[str, bool]]]:
    """Formats that a branch gives to a name or returns."""
    for node in walk(side):
        name, value = "", None
        if isinstance(node, ast.Return):
            name, value = "return", node.value
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            name, value = view.document.raw(node.targets[0]), node.value
        elif isinstance(node, ast.expr) and node in side:
            name, value = "value", node
        format_ = _format(view, value)
        if value is not None and format_ is not None and name:
            yield name, value, format_


def _sides(view: View) -> Found:
    for node in (*view.document.nodes(ast.IfExp), *view.document.nodes(ast.If)):
        asked = asks_for_fnuz(view.document, node.test)
        sides = branches(view.document, node)
        there, other = (list(_given(view, side)) for side in (sides[True], sides[False]))
        if asked is not None:
            fnuz, ocp = (there, other) if asked else (other, there)
            for name, value, format_ in fnuz:
                if not format_[1]:
                    yield value, f"{name} gets an OCP format of FP8 on the side of the fnuz formats"
            right = bool(fnuz) and all(format_[1] for _, _, format_ in fnuz)
            for name, value, format_ in ocp:
                if format_[1] and right:
                    yield value, f"{name} gets a fnuz format of FP8 where fnuz was denied"
        elif len({format_[1] for _, _, format_ in there}) == 2 and len({n for n, _, _ in there}) == len(there) == 2:
            yield there[-1][1], "one format of FP8 is OCP's here, and the other fnuz"
        if asked is not None:
            for call in walk(sides[not asked]) if isinstance(node, ast.IfExp) or not asked else walk(node.orelse):
                if isinstance(call, ast.Call) and _TO_FNUZ.fullmatch(view.document.raw(call.func).rpartition(".")[2]):
                    yield call, "OCP's codes are made fnuz where fnuz was denied"
        names = {name: format_ for name, _, format_ in other}
        for name, value, format_ in there:
            if len(there) == len(other) == 1 and name in names and names[name][0] != format_[0]:
                yield (
                    value,
                    f"{name} is a format with {format_[0]} bits of exponent here, and with {names[name][0]} elsewhere",
                )


def _told(view: View) -> Found:
    """``if x.dtype != torch.float8_e4m3fn: raise TypeError("... float8_e4m3fnuz")``: the test and the message differ."""
    for fork in view.document.nodes(ast.If):
        test = fork.test
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.NotEq)):
            continue
        wanted = view.document.path(test.comparators[0]) or ""
        said = [
            view.document.string(node) or ""
            for part in fork.body
            if isinstance(part, ast.Raise)
            for node in ast.walk(part)
            if isinstance(node, ast.Constant)
        ]
        names = {name for text in said for name in _NAMED.findall(text)}
        if _TORCH.fullmatch(wanted) and names and wanted.rpartition(".")[2] not in names:
            yield test, f"{wanted} is asked for, and {min(names)} is what the message asks for"


# --- keys and values --------------------------------------------------------------


def _pairs(view: View) -> Found:
    """Keys and values of one cache are kept in one format, and their scales are doubled together."""
    for block in _blocks(view):
        views = {name: (node, path) for name, node, path in _viewed(view, block)}
        doubled = {
            view.document.raw(part.target): part
            for part in block
            if isinstance(part, ast.AugAssign)
            and isinstance(part.op, ast.Mult)
            and view.document.number(part.value) == 2
        }
        for key, value in _CACHES:
            for name, (_, path) in views.items():
                twin = views.get(name.replace(key, value, 1)) if name.startswith(key) else None
                if twin is not None and twin[1] != path:
                    yield twin[0], f"the keys are read as {path}, and the values as {twin[1]}"
            for name, part in doubled.items():
                for one, two in ((key, value), (value, key)):
                    if name.startswith(one) and _SCALE.fullmatch(name):
                        twin_name = name.replace(one, two, 1)
                        if twin_name not in doubled and _is_given_beside(view, part, twin_name):
                            yield part, f"{name} is doubled for fnuz, and {twin_name} is not"


def _blocks(view: View) -> Iterator[list[ast.stmt]]:
    for fork in view.document.nodes(ast.If):
        yield fork.body
        yield fork.orelse


def _viewed(view: View, block: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str]]:
    for part in block:
        call = part.value if isinstance(part, ast.Assign) and len(part.targets) == 1 else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in ("view", "to")
            and call.args
        ):
            path = view.document.path(call.args[0]) or ""
            if _TORCH.fullmatch(path) and isinstance(part, ast.Assign):
                how = path if call.func.attr == "view" else f"{path} by .to()"
                yield view.document.raw(part.targets[0]), part, how


def _is_given_beside(view: View, part: ast.stmt, name: str) -> bool:
    """Whether the block around the question gives a value to this name too: it has the scale, and goes on with it."""
    fork = view.document.parent(part)
    if not isinstance(fork, ast.If) or asks_for_fnuz(view.document, fork.test) is not True:
        return False
    around = view.document.parent(fork)
    blocks = [getattr(around, word, None) for word in ("body", "orelse")]
    block = next((b for b in blocks if isinstance(b, list) and fork in b), [])
    given = (t for s in block if isinstance(s, ast.Assign) for t in s.targets)
    return any(view.document.raw(target) == name for target in given)


# --- codes ------------------------------------------------------------------------


def _carried_over(view: View, function: ast.FunctionDef) -> Found:
    """A function that makes fnuz of OCP's codes by its name: it views them, sets 0x80 to zero, and doubles each scale."""
    nodes = list(ast.walk(function))
    fnuz = [
        n
        for n in nodes
        if isinstance(n, ast.Call) and n.args and view.document.path(n.args[0]) == "torch.float8_e4m3fnuz"
    ]
    if not fnuz:
        return
    codes = {
        view.document.raw(n.targets[0])
        for n in nodes
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and n.value.args
        if view.document.path(n.value.args[0]) in ("torch.int8", "torch.uint8")
    }
    for call in fnuz:
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "to"
            and view.document.raw(call.func.value) in codes
        ):
            yield call, "the codes are numbers to .to(): it is .view() that keeps their bits"
    viewed = any(isinstance(call.func, ast.Attribute) and call.func.attr == "view" for call in fnuz)
    if viewed and not any(_sets_some(view, node) for node in nodes):
        yield function, "minus zero of e4m3fn, 0x80, stays as it is, and is NaN in e4m3fnuz"
    for argument in (*function.args.args, *function.args.kwonlyargs):
        if not _SCALE.fullmatch(argument.arg):
            continue
        factors = [f for n in nodes if (f := _factor(view, n, argument.arg)) is not None]
        mentioned = sum(isinstance(n, ast.Name) and n.id == argument.arg for n in nodes)
        if not factors and mentioned and not _is_handed_on(nodes, argument.arg):
            yield function, f"{argument.arg} is not doubled, and e4m3fnuz means half as much"
        for factor in factors:
            if factor != 2:
                yield (
                    function,
                    f"{argument.arg} is multiplied by {factor:g}, and e4m3fnuz means half as much: it is doubled",
                )


def _sets_some(view: View, node: ast.AST) -> bool:
    """Whether some of the codes are set: ``codes[codes == -128] = 0``, or a call that does so."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.Call) and _SETS.search(view.document.raw(node.func)) is not None


def _factor(view: View, node: ast.AST, name: str) -> float | None:
    """By what a statement multiplies the scale of this name."""
    operation, value = None, None
    if isinstance(node, ast.AugAssign) and view.document.raw(node.target) == name:
        operation, value = node.op, node.value
    elif isinstance(node, ast.BinOp):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if view.document.raw(one) == name and view.document.number(other) is not None:
                operation, value = node.op, other
    number = view.document.number(value)
    if number is None or not number:
        return None
    if isinstance(operation, ast.Mult):
        return number
    return 1 / number if isinstance(operation, ast.Div) else None


def _is_handed_on(nodes: list[ast.AST], name: str) -> bool:
    """Whether a call, or an operation that is not seen through, gets the scale: it may be doubled there."""
    parts = [child for node in nodes if isinstance(node, (ast.Call, ast.BinOp)) for child in ast.iter_child_nodes(node)]
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def _capability(view: View, function: ast.FunctionDef, arch: str) -> Found:
    """``get_device_capability() == (9, 0)`` in a function that says fnuz: that is gfx90a, and gfx942 is (9, 4)."""
    right = capability_of(arch)
    found: list[tuple[ast.Compare, tuple[object, ...]]] = []
    for compare in ast.walk(function):
        if isinstance(compare, ast.Compare) and len(compare.ops) == 1 and isinstance(compare.ops[0], ast.Eq):
            pair = compare.comparators[0]
            if isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
                found.append((compare, tuple(view.document.number(item) for item in pair.elts)))
    if found and all(None not in pair and pair != right for _, pair in found):
        yield found[0][0], f"{function.name} asks for {found[0][1]}, and the capability of {arch} is {right}"
