"""Takes out of the new residue what NVIDIA's compiler cannot notice: headers that are empty for it, macros that
nothing but the new code uses."""

from __future__ import annotations

from dataclasses import dataclass, field

from rewarp.lang.cpp.directives import Directive, Node
from rewarp.lang.cpp.macros import Macro
from rewarp.lang.cpp.tokens import Token, Unreadable
from rewarp.verify.isolation.cfamily.expansion import Expander, new_macro
from rewarp.verify.isolation.cfamily.includes import headers, included, resolve
from rewarp.verify.isolation.cfamily.macros import shape_of
from rewarp.verify.isolation.cfamily.residue import Close, Item, Open, key, residue
from rewarp.verify.isolation.context import Context

_DEEPEST = 20


@dataclass
class Effect:
    """What including a header does for NVIDIA's compiler."""

    outside: list[Directive] = field(default_factory=list)
    """Headers from outside the project that it brings, in order."""
    macros: dict[str, Macro] = field(default_factory=dict)
    """New macros that it defines."""
    more: bool = False
    """It does anything else."""


def guard_of(items: list[Item]) -> str | None:
    """The macro of an include guard around the whole file."""
    if len(items) < 3 or not isinstance(items[0], Open) or not isinstance(items[-1], Close):
        return None
    second = items[1]
    if not isinstance(second, Directive) or second.word != "define" or len(second.tokens) != 1:
        return None
    name = second.tokens[0].text
    depth = 0
    for at, item in enumerate(items):
        depth += isinstance(item, Open) and item.word == "if"
        depth -= isinstance(item, Close)
        if (depth == 0 and at < len(items) - 1) or (depth == 1 and at and isinstance(item, Open) and item.word != "if"):
            return None
    return name if items[0].condition == f"not(defined({name}))" else None


class Reduction:
    """One changed file."""

    def __init__(self, path: str, before: tuple[Node, ...], items_before: list[Item], context: Context) -> None:
        self._path, self._before, self._context = path, before, context
        self._known = {key(item) for item in items_before if isinstance(item, Directive) and item.word == "include"}
        self._expander = Expander(context.macros["after"])

    def reduced(self, items: list[Item]) -> list[Item]:
        found: list[Item] = []
        depth = -1 if guard_of(items) else 0
        code: list[Token] = []
        for item in items:
            if isinstance(item, Token):
                code.append(item)
                continue
            found += self._expander.code(code)
            code = []
            depth += isinstance(item, Open) and item.word == "if"
            depth -= isinstance(item, Close)
            found += self._directive(item, depth == 0) if isinstance(item, Directive) else [item]
        return [*found, *self._expander.code(code)]

    def _directive(self, node: Directive, always: bool) -> list[Item]:
        """What is left of a directive; ``always``: no undecided condition stands around it."""
        if node.word == "define":
            macro = new_macro(node, self._context.trees, self._context.macros["after"]) if always else None
            if macro is None:
                return [self._expander.definition(node)]
            self._expander.visible[macro.name] = macro
            return []
        if node.word != "include":
            return [node]
        effect = self._effect(node, self._path, self._before, 0)
        if effect and always:
            self._expander.visible.update(effect.macros)
        if effect is None or effect.more or key(node) in self._known or (effect.macros and not always):
            return [node]
        return list(effect.outside)

    def _effect(self, node: Directive, path: str, before: tuple[Node, ...], depth: int) -> Effect | None:
        """None where it is not certain which file is meant, or what it does."""
        target = resolve(node, path, before, self._context.trees, "after")
        data = self._context.trees.read(target, "after") if target else None
        if target is None or data is None or depth > _DEEPEST:
            return None
        try:
            items = residue(shape_of(target, data).nodes, self._context.macros["after"])
        except Unreadable:
            return None
        return self._survey(target, items, depth)

    def _survey(self, path: str, items: list[Item], depth: int) -> Effect:
        effect = Effect()
        guard = guard_of(items)
        if guard:
            items = items[2:-1]
            effect.more = any(set(self._context.trees.containing(guard, side)) - {path} for side in ("before", "after"))
        inside = 0
        for item in items:
            inside += isinstance(item, Open) and item.word == "if"
            inside -= isinstance(item, Close)
            if not isinstance(item, Directive) or inside:
                effect.more = True
            elif item.word == "define":
                macro = new_macro(item, self._context.trees, self._context.macros["after"])
                if macro:
                    effect.macros[macro.name] = macro
                else:
                    effect.more = True
            elif item.word == "include":
                self._nested(effect, item, path, depth)
            else:
                effect.more |= item.word != "pragma" or [token.text for token in item.tokens] != ["once"]
        return effect

    def _nested(self, effect: Effect, node: Directive, path: str, depth: int) -> None:
        inner = self._effect(node, path, (), depth + 1)
        written = included(node)
        if inner:
            effect.outside += inner.outside
            effect.macros.update(inner.macros)
            effect.more |= inner.more
        elif written and not written[1] and not self._in_tree(written[0]):
            effect.outside.append(node)
        else:
            effect.more = True

    def _in_tree(self, text: str) -> bool:
        return bool(headers(self._context.trees.after).ending_with(text))
