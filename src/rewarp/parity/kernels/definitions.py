"""Kernel definitions in preprocessed code: names, template instances, and names that cannot be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rewarp.lang.cpp.tokens import Token, joined
from rewarp.parity.kernels.inventory import How, Kernel
from rewarp.parity.kernels.tokens import BODY, GROUP, is_macro_like
from rewarp.parity.units import Problem

_NOT_NAMES = frozenset(
    """__launch_bounds__ __attribute__ alignas decltype noexcept __declspec __maxnreg__ __cluster_dims__ __block_size__
    __align__ amdgpu_flat_work_group_size amdgpu_waves_per_eu reqd_work_group_size work_group_size_hint sizeof
    host_name max_total_threads_per_threadgroup requires if while for switch return""".split()
)
"""Words before a parenthesis that name no kernel."""
_TYPES = frozenset(
    """void bool char short int long float double half signed unsigned const size_t auto true false nullptr bfloat
    bfloat16 uint uchar ushort ulong""".split()
)
_LONGEST = 60_000


class Dialect(NamedTuple):
    """How a language marks a kernel."""

    markers: frozenset[str]
    has_attribute: bool = False
    """Whether `[[kernel]]` marks one too, and `[[host_name("…")]]` names it."""
    only_symbols: bool = False
    """Whether a template without an instance is nothing that host code could ask for."""


CUDA = Dialect(frozenset({"__global__"}))
METAL = Dialect(frozenset({"kernel"}), has_attribute=True, only_symbols=True)
OPENCL = Dialect(frozenset({"__kernel", "kernel"}), only_symbols=True)


class _Begun(NamedTuple):
    """A statement that is begun: its last token, and what stands before that. Every branch goes on from the same one."""

    token: Token
    before: _Begun | None
    length: int


class _State(NamedTuple):
    pending: _Begun | None
    scopes: tuple[str, ...]


class Definitions:
    """Takes preprocessed code and keeps the kernels that it defines."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.marks = dialect.markers | {"global"}
        self.kernels: dict[str, Kernel] = {}
        self.problems: list[Problem] = []
        self.opaque: set[str] = set()
        self.calls: list[tuple[str, Token, tuple[str, ...]]] = []
        """What stands at file scope like a call: a macro, perhaps of a header that is not here."""
        self._pending: _Begun | None = None
        self._scopes: list[str] = []
        """For each open brace: `C`, `namespace` or `closed` (nothing inside can be a kernel)."""
        self._closed = 0

    @property
    def is_idle(self) -> bool:
        return not self._pending

    def state(self) -> _State:
        return _State(self._pending, tuple(self._scopes))

    def restore(self, state: object) -> None:
        if isinstance(state, _State):
            self._pending, self._scopes = state.pending, list(state.scopes)
            self._closed = self._scopes.count("closed")

    def feed(self, tokens: list[Token], path: str, condition: str) -> None:
        for token in tokens:
            text = token.text
            if text == "{":
                self._open(path, condition)
            elif text == "}":
                if self._scopes and self._scopes.pop() == "closed":
                    self._closed -= 1
                self._pending = None
            elif self._closed:
                continue
            elif text == BODY:
                self._finish(path, condition, has_body=True)
            elif text == ";":
                self._finish(path, condition, has_body=False)
            elif self._pending is None:
                self._pending = _Begun(token, None, 1)
            elif self._pending.length < _LONGEST:
                self._pending = _Begun(token, self._pending, self._pending.length + 1)

    def end(self, path: str) -> None:
        """Take what no semicolon ended."""
        if not self._closed:
            self._finish(path, "", has_body=False)

    def _open(self, path: str, condition: str) -> None:
        if self._closed:
            scope = "closed"
        else:
            texts = [token.text for token in _tokens(self._pending)]
            if texts[-2:] == ["extern", '"C"']:
                scope = "C"
            elif "namespace" in texts:
                scope = "namespace"
            else:
                scope = "closed"
                self._finish(path, condition, has_body=True)
        self._scopes.append(scope)
        self._closed += scope == "closed"
        self._pending = None

    def _finish(self, path: str, condition: str, *, has_body: bool) -> None:
        tokens, self._pending = _tokens(self._pending), None
        while tokens and is_macro_like(tokens[0].text) and tokens[1:2] and tokens[1].text == "(":
            # What is still a call after expansion is a macro that nobody here defines.
            end = _closing(tokens, 1, "(", ")") + 1
            self.calls.append((path, tokens[0], _words(tokens[:end])))
            tokens = tokens[end:]
        if not tokens or not self._is_kernel(tokens):
            return
        found = _named(tokens)
        if found is None:
            self._unknown(tokens, path)
            return
        name, arguments, is_template = found
        if not has_body and not arguments:
            return  # declared here, defined elsewhere or nowhere
        self._add(tokens, name, arguments, is_template=is_template, path=path, condition=condition)

    def _add(
        self, tokens: list[Token], name: Token, arguments: str, *, is_template: bool, path: str, condition: str
    ) -> None:
        host_name = _host_name(tokens) if self.dialect.has_attribute else None
        if is_template and not arguments and self.dialect.only_symbols:
            return
        if not name.text.isidentifier() or (not host_name and any(token.text == "host_name" for token in tokens)):
            self._unknown(tokens, path)
            return
        how = How.INSTANCE if arguments else How.TEMPLATE if is_template else How.PLAIN
        is_symbol = self.dialect.only_symbols or (how is How.PLAIN and self._is_c(tokens))
        if how is not How.TEMPLATE and (name.macro or any(token.macro for token in tokens if token.text == "template")):
            how = How.MACRO
        symbol = host_name or (f"{name.text}<{arguments}>" if arguments else name.text)
        kernel = Kernel(symbol, path, name.line, how, condition, arguments, is_symbol)
        known = self.kernels.get(symbol)
        if known is None or (known.condition and not condition):
            self.kernels[symbol] = kernel

    def _is_c(self, tokens: list[Token]) -> bool:
        return "C" in self._scopes or any(
            one.text == "extern" and two.text == '"C"' for one, two in zip(tokens, tokens[1:], strict=False)
        )

    def _is_kernel(self, tokens: list[Token]) -> bool:
        texts = [token.text for token in tokens]
        if "__global__" in texts or "__kernel" in texts:
            return bool(self.dialect.markers.intersection(texts))
        if "kernel" not in self.dialect.markers:
            return _has_global_attribute(texts)
        if "kernel" not in texts:
            return False
        # A plain word: it marks a kernel where a declaration begins, or in an attribute before the parameters.
        before = texts[: texts.index("kernel")]
        return not before or "[" in before or before[-1] in (")", ">", "]", "template", "inline", "static")

    def _unknown(self, tokens: list[Token], path: str) -> None:
        first = tokens[0]
        self.opaque.update(_words(tokens))
        self.opaque.update(
            two.text for one, two in zip(tokens, tokens[1:], strict=False) if one.text == GROUP and two.is_name
        )
        self.problems.append(Problem(path, first.line, f"the name of a kernel cannot be told: {joined(tokens)[:80]}"))


def _tokens(begun: _Begun | None) -> list[Token]:
    """In the order of the text."""
    tokens: list[Token] = []
    while begun is not None:
        tokens.append(begun.token)
        begun = begun.before
    return tokens[::-1]


def _named(tokens: list[Token]) -> tuple[Token, str, bool] | None:
    """The name of the function that tokens declare, its template arguments, and whether it is a template."""
    at, is_template = _after_template(tokens)
    found: tuple[Token, str, bool] | None = None
    while at < len(tokens):
        token = tokens[at]
        if token.text == "[" and tokens[at + 1 : at + 2] and tokens[at + 1].text == "[":
            at = _closing(tokens, at, "[", "]") + 1
            continue
        if token.text == "(":
            # A parenthesis after no name: `NAME(x)(…)`, where NAME is a macro that nobody here defines.
            found = None if found and _is_call_end(tokens, at) else found
            at = _closing(tokens, at, "(", ")") + 1
            continue
        if not token.is_name:
            at += 1
            continue
        after = at + 1
        arguments = ""
        if after < len(tokens) and tokens[after].text == "<" and token.text != "template":
            end = _closing(tokens, after, "<", ">")
            arguments = joined(tokens[after + 1 : end])
            after = end + 1
        ends = after >= len(tokens)
        if token.text in _NOT_NAMES:
            at = _closing(tokens, after, "(", ")") + 1 if not ends and tokens[after].text == "(" else after
        elif (ends and arguments) or (not ends and tokens[after].text == "("):
            if at and tokens[at - 1].text == GROUP and not token.spaced:
                return None  # `{name}_f32`: a format string builds the name
            found = (token, arguments, is_template)
            if ends:
                break
            at = _closing(tokens, after, "(", ")") + 1
            if at < len(tokens) and tokens[at].text == "(":
                return None
        else:
            at = after
    return found


def _is_call_end(tokens: list[Token], at: int) -> bool:
    return at > 0 and tokens[at - 1].text == ")"


def _after_template(tokens: list[Token]) -> tuple[int, bool]:
    """Where a declaration goes on after `template <…>`, and whether something is left open by it."""
    at, is_template = 0, False
    while at < len(tokens) and tokens[at].text != "template":
        at += 1
    if at == len(tokens):
        return 0, False
    while at + 1 < len(tokens) and tokens[at].text == "template" and tokens[at + 1].text == "<":
        end = _closing(tokens, at + 1, "<", ">")
        is_template = is_template or end > at + 2
        at = end + 1
    return at + (at < len(tokens) and tokens[at].text == "template"), is_template


def _closing(tokens: list[Token], at: int, opening: str, closing: str) -> int:
    """Where the bracket that opens at a place closes; the end where it does not."""
    depth = 0
    round_depth = 0
    for index in range(at, len(tokens)):
        text = tokens[index].text
        if opening == "<":
            # Parentheses protect a comparison: `enable_if<(a < b)>`.
            round_depth += (text == "(") - (text == ")")
            if round_depth > 0:
                continue
        if text == opening:
            depth += 1
        elif text == closing:
            depth -= 1
            if depth == 0:
                return index
    return len(tokens)


def _host_name(tokens: list[Token]) -> str | None:
    """The name that `[[host_name("…")]]` gives, literals side by side joined."""
    for at, token in enumerate(tokens):
        if token.text == "host_name" and at + 1 < len(tokens):
            end = _closing(tokens, at + 1, "(", ")")
            parts = tokens[at + 2 : end]
            if parts and all(part.text.startswith('"') for part in parts):
                return "".join(part.text[1:-1] for part in parts)
    return None


def _has_global_attribute(texts: list[str]) -> bool:
    """`__attribute__((global))`, what `__global__` stands for."""
    return "global" in texts and "__attribute__" in texts[: texts.index("global")]


def _words(tokens: list[Token]) -> tuple[str, ...]:
    """Identifiers among tokens that a name could be made of."""
    inner = [token.text for token in _inside(tokens)]
    return tuple(dict.fromkeys(text for text in inner if len(text) > 2 and text not in _TYPES))


def _inside(tokens: list[Token]) -> Iterator[Token]:
    """The names in the first pair of parentheses."""
    start = next((at for at, token in enumerate(tokens) if token.text == "("), len(tokens))
    for token in tokens[start : _closing(tokens, start, "(", ")")] if start < len(tokens) else ():
        if token.is_name:
            yield token


DIALECTS: Mapping[str, Dialect] = {"metal": METAL, "opencl": OPENCL}
"""By back end; every other one marks kernels as CUDA does."""
