"""Small rewrites of expressions that keep exactly what they do, and what can be said of their value."""

from __future__ import annotations

import ast


def gives_bool(node: ast.expr) -> bool:
    """Whether an expression surely gives True or False: `a == b` may give an array."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool)
    if isinstance(node, ast.Compare):
        return all(isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops)
    if isinstance(node, ast.BoolOp):
        return all(map(gives_bool, node.values))
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def fits(case: ast.match_case, value: object) -> bool | None:
    """Whether a case takes a known value; None where that is not plain."""
    if case.guard is not None:
        return None
    pattern = case.pattern
    if isinstance(pattern, ast.MatchSingleton):
        return value is pattern.value
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        return bool(value == pattern.value.value)
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return True
    return None


def simplified(node: ast.expr) -> ast.expr:
    """`[a] + []`, `[a, *[]]`, `f(**{})` and `f"{'x'}"` as what they are; all of it exact."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for kind in (ast.List, ast.Tuple):
            if isinstance(node.left, kind) and isinstance(node.right, kind):
                return ast.copy_location(kind([*node.left.elts, *node.right.elts], ast.Load()), node)
    elif isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        node.elts = _flat(node.elts)
    elif isinstance(node, ast.Call):
        node.args = _flat(node.args)
        node.keywords = [k for k in node.keywords if k.arg or not (isinstance(k.value, ast.Dict) and not k.value.keys)]
    elif isinstance(node, ast.Dict):
        kept = [(k, v) for k, v in zip(node.keys, node.values) if k or not (isinstance(v, ast.Dict) and not v.keys)]
        node.keys, node.values = [k for k, _ in kept], [v for _, v in kept]
    elif isinstance(node, ast.JoinedStr):
        return _joined(node)
    return node


def _flat(items: list[ast.expr]) -> list[ast.expr]:
    flat: list[ast.expr] = []
    for item in items:
        inner = item.value if isinstance(item, ast.Starred) else None
        flat.extend(inner.elts if isinstance(inner, (ast.List, ast.Tuple)) else [item])
    return flat


def _joined(node: ast.JoinedStr) -> ast.expr:
    parts: list[ast.expr] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
            inner = part.value
            part = inner if isinstance(inner, ast.Constant) and isinstance(inner.value, str) else part
        if isinstance(part, ast.Constant) and parts and isinstance(parts[-1], ast.Constant):
            parts[-1] = ast.copy_location(ast.Constant(str(parts[-1].value) + str(part.value)), node)
        else:
            parts.append(part)
    if len(parts) == 1 and isinstance(parts[0], ast.Constant):
        return parts[0]
    return ast.copy_location(ast.JoinedStr(parts), node) if parts else ast.copy_location(ast.Constant(""), node)
