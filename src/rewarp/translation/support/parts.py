"""The support header in parts: a project gets those that it uses, and what they rest on.

A part is one declaration, or one macro, with the comment above it. It is kept where a name that it declares is used: by the
project, or by a part that is kept. Names that a macro makes (``REWARP_SIMD_UNARY(__vabs, …)`` gives ``__vabs2``) are known
by expanding it. Conditions, namespaces and comments are one tree of whole lines here, which are written again as they are; the
tree of ``lang.cpp`` has conditions alone, and arms without the lines that open them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from rewarp.lang.cpp.macros import Expansion, Macro, read_macro
from rewarp.lang.cpp.tokens import Token, logical_lines, names_in, tokenize

_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)")
_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", re.M)
_NAMESPACE = re.compile(r"(?:namespace\s+\w+|extern\s+\"C\")\s*\{\s*")
_EMPTY_SPACE = re.compile(r"namespace\s+(\w+)\s*\{\}")
"""For who says no more than that it is used."""
_NAMED_SPACE = re.compile(r"namespace\s+(\w+)")
_CLOSING = re.compile(r"\}\s*//\s*(?:namespace|extern)\b.*")
_HEADING = re.compile(r"// (?:=|-){20,}")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_HEADERS_OF_OTHERS = rb"(?:cooperative_groups|thrust|cub|hipcub)/[\w/]+\.\w+"
_OF_OTHERS = re.compile(rb"\b(?:thrust|std|cub|hipcub)\s*::\s*(?:\w+\s*::\s*)*\w+|" + _HEADERS_OF_OTHERS)
"""Names of libraries that the header adds nothing to, and of headers: neither ``thrust::exclusive_scan`` nor
``<cooperative_groups/scan.h>`` is a call of cooperative groups'."""
_NAME = re.compile(r"(?!template\b)[A-Za-z_]\w*")
_PASTED = re.compile(rb"([A-Za-z_]\w*)\s*##|##\s*([A-Za-z_]\w*)")
_TYPE_WORDS = frozenset(["struct", "class", "enum", "union"])
_OPENING, _CLOSED = ("(", "{", "[", "<"), (")", "}", "]", ">")
_AFTER_BOUND = frozenset([",", ")", "=", ";", "[", "{", ":", ">", "("])
_NO_TYPES = frozenset(["return", "case", "else", "throw", "new", "delete", "goto", "operator", "sizeof", "typename"])
_FOR_TESTS = "#if defined(REWARP_HIP_PORTABLE_ONLY)"
_FOR_NVIDIA = "#else  // NVIDIA"
_FOR_HOSTS = "#if !defined(REWARP_HIP_PORTABLE_ONLY) && !defined(__HIPCC_RTC__)"
_SHORTEST_PIECE = 3
_OF_SOURCES: frozenset[str] = frozenset({""})
"""What the sources are in: no namespace."""
_TYPES = {"REWARP_HAS_FP16": re.compile("half|fp16|bf16|bfloat"), "REWARP_HAS_BF16": re.compile("bf16|bfloat")}
"""What stands under these conditions is for types that the sources must name; what is for both stands with half."""
_OPERATOR = "operator"
_HALF_HEADERS = {"cuda_fp16", "hip_fp16"}
"""With one of them ``half`` and ``half2`` are types, and no words."""


@dataclass
class Part:
    """One declaration, with what it declares and what it rests on."""

    lines: list[str]
    declares: frozenset[str] = frozenset()
    rests_on: Callable[[], frozenset[str]] = frozenset
    """Worked out for what is kept alone: a project keeps a few of many."""
    always: bool = False
    """Whether it goes into every header: includes of HIP's, and the switches of its headers."""
    along: bool = False
    """Whether it goes with whatever else is kept of its block: other includes, a namespace that is used there."""

    @cached_property
    def uses(self) -> frozenset[str]:
        return self.rests_on()


@dataclass
class Block:
    """Parts under one condition or in one namespace: without any of them it is gone too."""

    opening: list[str]
    uses: frozenset[str] = frozenset()
    inner: list[Part | Block | Heading] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    more: list[Block] = field(default_factory=list)
    """``#elif`` and ``#else``, which stay as long as one branch does."""


@dataclass
class Heading:
    lines: list[str]


def used_parts(whole: str, sources: Iterable[bytes], before: str = "", *, kernels_alone: bool = False) -> str:
    """The header with the parts that the sources use, and those that stand in ``before``. ``kernels_alone``: of the sources
    nothing but the kernels is compiled, so that what the host calls is not asked for."""
    words: set[str] = set()
    pieces: set[str] = set()
    for source in sources:
        own = _OF_OTHERS.sub(b"", source)
        words.update(word.decode() for word in _WORD.findall(own))
        for pair in _PASTED.findall(source) if b"##" in source else ():
            pieces.update(piece.decode() for piece in pair if len(piece) >= _SHORTEST_PIECE)
    if words & _HALF_HEADERS:
        words.update(f"__{word}" for word in ("half", "half2") if word in words)
    tree = read_parts(whole)
    parts = list(parts_of(tree))
    for name in {name for part in parts for name in part.declares} if pieces else ():
        if any(name.startswith(piece) or name.endswith(piece) for piece in pieces):
            words.add(name)
    there = [part for part in parts if part.always or (before and part.declares and _stands_in(before, part))]
    return "\n".join(_written(tree, _kept(tree, words, there, kernels_alone))) + "\n"


def _stands_in(text: str, part: Part) -> bool:
    own = "\n".join(part.lines)
    return f"\n{own}\n" in text


def is_made_of(whole: str, text: str) -> bool:
    """Whether a text is this header, or parts of it: its lines, in its order."""
    lines = iter(whole.splitlines())
    return text.endswith("\n") and all(line in lines for line in text.splitlines())


# --- keeping ----------------------------------------------------------------------------------


def _kept(tree: Block, words: set[str], there: list[Part], kernels_alone: bool) -> set[int]:
    """The parts that are there already, those that words of the sources ask for, and what all of them rest on."""
    around = {id(part): blocks for part, blocks in _placed(tree, ())}
    spaces = {key: _spaces(blocks) for key, blocks in around.items()}
    absent = {macro for macro, sign in _TYPES.items() if not any(map(sign.search, words))}
    left = list(parts_of(tree))
    shut = {id(part) for part in left if any(absent & block.uses for block in around[id(part)])}
    names_alone = set(_of_nvidia(tree))
    if kernels_alone:
        left = [part for part in left if not any(_FOR_HOSTS in block.opening for block in around[id(part)])]
    kept: set[int] = set()
    wanted: set[str] = set()
    asking = [(_OF_SOURCES, frozenset(words))]

    def keep(parts: list[Part]) -> None:
        kept.update(id(part) for part in parts)
        for part in parts:
            blocks = around[id(part)]
            asking.append((_seen_from(blocks), part.uses.union(*(block.uses for block in blocks))))

    keep(there)
    while asking:
        while asking:
            seen, names = asking.pop()
            wanted |= names
            left = [part for part in left if id(part) not in kept]
            reached = seen | names
            not_able = shut if seen is _OF_SOURCES else names_alone
            able = [part for part in left if id(part) not in not_able]
            keep([part for part in able if not part.declares.isdisjoint(names) and _is_named(part, spaces, reached)])
        left = [part for part in left if id(part) not in kept]
        operators = [part for part in left if _OPERATOR in part.declares and id(part) not in shut]
        keep([part for part in operators if part.declares - {_OPERATOR} <= wanted])
    return kept


def _of_nvidia(block: Block) -> Iterator[int]:
    """Parts that are other names of NVIDIA's own functions: they are for those who use them, and no other part does."""
    for branch in (block, *block.more):
        is_nvidias = branch.opening[-1:] == [_FOR_NVIDIA]
        for item in branch.inner:
            if isinstance(item, Block):
                yield from _of_nvidia(item)
            elif is_nvidias:
                yield id(item)


def _is_named(part: Part, spaces: dict[int, frozenset[str]], names: frozenset[str]) -> bool:
    """Whether whoever names its namespaces, or is in them, may mean it: ``load`` is a common word."""
    return _OPERATOR not in part.declares and spaces[id(part)] <= names


def _spaces(blocks: Iterable[Block]) -> frozenset[str]:
    """The namespaces that blocks are."""
    found = (_NAMED_SPACE.match(block.opening[-1]) for block in blocks if block.opening)
    return frozenset(one[1] for one in found if one)


def _seen_from(blocks: Iterable[Block]) -> frozenset[str]:
    """The same, and those that are used there."""
    blocks = tuple(blocks)
    used = (item for block in blocks for item in block.inner if isinstance(item, Part) and item.along)
    return _spaces(blocks).union(*(part.uses for part in used))


def _placed(block: Block, around: tuple[Block, ...]) -> Iterator[tuple[Part, tuple[Block, ...]]]:
    here = (*around, block, *block.more)
    for branch in (block, *block.more):
        for item in branch.inner:
            if isinstance(item, Part):
                yield item, here
            elif isinstance(item, Block):
                yield from _placed(item, here)


def parts_of(block: Block) -> Iterator[Part]:
    return (part for part, _ in _placed(block, ()))


def _written(block: Block, kept: set[int]) -> list[str]:
    branches = [_content(branch, kept) for branch in (block, *block.more)]
    if not any(branches):
        return []
    lines: list[str] = []
    for branch, content in zip((block, *block.more), branches):
        lines += [*branch.opening, *content]
    return [*lines, *block.closing]


def _content(block: Block, kept: set[int]) -> list[str]:
    texts = [_text(item, kept) for item in block.inner]
    if not any(texts):
        return []
    lines: list[str] = []
    heading: list[str] = []
    for item, text in zip(block.inner, texts):
        if isinstance(item, Heading):
            heading = item.lines
        elif text or (isinstance(item, Part) and item.along):
            lines += [*heading, *(text or item.lines)] if isinstance(item, Part) else [*heading, *text]
            heading = []
    return lines


def _text(item: Part | Block | Heading, kept: set[int]) -> list[str]:
    if isinstance(item, Block):
        return _written(item, kept)
    return item.lines if isinstance(item, Part) and id(item) in kept else []


# --- reading ----------------------------------------------------------------------------------


@lru_cache(maxsize=2)  # there are two headers, and a port writes both
def read_parts(whole: str) -> Block:
    """The header as a tree. It is our own, so it is read by its form: what the formatter leaves is what stands here."""
    macros: dict[str, list[Macro]] = {}
    definitions = "\n".join(found[0] for found in _DEFINITION.finditer(whole))
    for line in logical_lines(definitions.encode()):
        # Another name for NVIDIA makes no declaration: AMD's own one of that name stands under another condition.
        if (macro := read_macro(line[2:])) and (macro.parameters is not None or macro.name.isupper()):
            macros.setdefault(macro.name, []).append(macro)
    return _Reader(whole, macros).tree


class _Reader:
    def __init__(self, whole: str, macros: dict[str, list[Macro]]) -> None:
        self.macros = macros
        self.tree = Block([])
        self.open: list[Block] = [self.tree]
        self.comment: list[str] = []
        self.owners: dict[int, Block] = {}
        """The ``#if`` that a later branch belongs to."""
        lines = whole.splitlines()
        at = 0
        while at < len(lines):
            at = self._one(lines, at)
        self._flush()

    def _one(self, lines: list[str], at: int) -> int:
        line = lines[at]
        if not line.strip():
            self._flush()
            return at + 1
        if line.startswith("//"):
            self.comment.append(line)
            return at + 1
        if found := _DIRECTIVE.match(line):
            return self._directive(lines, at, found[1], found[2])
        if empty := _EMPTY_SPACE.fullmatch(line):
            self._add(Part([*self._taken(), line], frozenset([empty[1]])))
            return at + 1
        if _NAMESPACE.fullmatch(line):
            if self._closes_here(lines, at):
                self._opened(Block([*self._taken(), line]))
            else:
                self._add(Part([*self._taken(), line], always=True))
            return at + 1
        if _CLOSING.fullmatch(line):
            if _NAMESPACE.fullmatch(self.open[-1].opening[-1] if self.open[-1].opening else ""):
                self.open.pop().closing.append(line)
            else:
                self._add(Part([line], always=True))
            return at + 1
        end = _end_of_declaration(lines, at)
        if line.startswith("using namespace "):
            names = names_in(tokenize(line.encode())) - {"using", "namespace"}
            self._add(Part([*self._taken(), *lines[at:end]], rests_on=lambda: names, along=True))
            return end
        self._add(self._part([*self._taken(), *lines[at:end]]))
        return end

    def _directive(self, lines: list[str], at: int, word: str, rest: str) -> int:
        end = at + 1
        while lines[end - 1].endswith("\\"):
            end += 1
        text = lines[at:end]
        names = names_in(tokenize("\n".join(text).encode()))
        if word in ("if", "ifdef", "ifndef"):
            self._opened(Block([*self._taken(), *text], names))
        elif word in ("elif", "else"):
            self._flush()
            branch = Block(text, names)
            owner = self._condition()
            owner.more.append(branch)
            self.open[-1] = branch
            self.owners[id(branch)] = owner
        elif word == "endif":
            self._flush()
            owner = self._condition()
            owner.closing += text
            self.open.pop()
            _settle(owner)
        elif word in ("define", "undef"):
            name = re.match(r"\w+", rest)
            assert name
            always = name[0].startswith("HIP_") or name[0] in ("REWARP_HIP_H", "REWARP_HIP_CAME_FIRST")
            # A switch of a library's header is for whoever includes that.
            library = [name[0].partition("_")[0].lower()] if name[0].startswith("HIPBLAS") else []
            own = frozenset([name[0], *library])
            self._add(Part([*self._taken(), *text], own, lambda: names - {name[0]}, always))
        else:
            along = word == "include" and not rest.startswith("<hip")
            self._add(Part([*self._taken(), *text], always=not along, along=along))
        return end

    def _condition(self) -> Block:
        """The ``#if`` that the branch read now belongs to."""
        return self.owners.get(id(self.open[-1]), self.open[-1])

    @staticmethod
    def _closes_here(lines: list[str], at: int) -> bool:
        """Whether a namespace ends under the condition that it begins under."""
        depth = spaces = 0
        for line in lines[at:]:
            found = _DIRECTIVE.match(line)
            if found and found[1] in ("if", "ifdef", "ifndef"):
                depth += 1
            elif found and found[1] == "endif":
                depth -= 1
                if depth < 0:
                    return False
            elif _NAMESPACE.fullmatch(line) and not depth:
                spaces += 1
            elif _CLOSING.fullmatch(line) and not depth:
                spaces -= 1
                if not spaces:
                    return True
        return False

    def _opened(self, block: Block) -> None:
        self.open[-1].inner.append(block)
        self.open.append(block)

    def _add(self, part: Part) -> None:
        self.open[-1].inner.append(part)

    def _taken(self) -> list[str]:
        """The comment above, without the headings of sections: those stand for all that follows."""
        comment, self.comment = self.comment, []
        if comment and _HEADING.match(comment[0]):
            self.open[-1].inner.append(Heading(comment[:1]))
            comment = comment[1:]
        return comment

    def _flush(self) -> None:
        """A comment that nothing follows: of the file where it is the first, else of its section."""
        comment, self.comment = self.comment, []
        if comment:
            first = not self.tree.inner
            self.open[-1].inner.append(Part(comment, always=True) if first else Heading(comment))

    def _part(self, lines: list[str]) -> Part:
        tokens = [token for token in tokenize("\n".join(lines).encode()) if token.kind != "newline"]
        first = Expansion(self.macros)
        alternatives = [first.expand(tokens)]
        alternatives += [Expansion(self.macros, choice).expand(tokens) for choice in range(1, first.alternatives)]
        declares = {name for expanded in alternatives for name in _declared(expanded)}

        def uses() -> frozenset[str]:
            found = frozenset(name for code in (tokens, *alternatives) for name in _used(code))
            return found | self._macros_below(names_in(tokens) | found)

        return Part(lines, frozenset(declares), uses)

    def _macros_below(self, names: Iterable[str]) -> set[str]:
        """The macros that expanding these names may take, pasted ones too."""
        found: set[str] = set()
        waiting = [name for name in names if name in self.macros]
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            for macro in self.macros[name]:
                waiting += [inner for inner in macro.names if inner in self.macros]
                for left, right in zip(macro.body, macro.body[1:]):
                    if right.text == "##" and left.is_name:
                        waiting += [other for other in self.macros if other.startswith(left.text)]
        return found


def _settle(block: Block) -> None:
    """A header that is included where there is one goes with what is defined for it; what serves tests alone goes away."""
    condition = block.opening[-1]
    parts = [item for item in block.inner if isinstance(item, Part)]
    if condition == _FOR_TESTS:
        for part in parts:
            part.always = False
    elif "__has_include" in condition:
        defined = frozenset(name for part in parts for name in part.declares)
        for part in parts:
            part.always = False
            part.declares = defined or frozenset(["cooperative_groups"])


def _end_of_declaration(lines: list[str], at: int) -> int:
    """Behind the line that ends what begins here: its brackets are closed, and a `;`, a `}` or a macro's `)` is the last."""
    depth = 0
    for number in range(at, len(lines)):
        code = re.sub(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", "", lines[number]).rstrip()
        depth += sum(code.count(mark) for mark in "({[") - sum(code.count(mark) for mark in ")}]")
        if depth == 0 and not _DIRECTIVE.match(code):
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            if code.endswith((";", "}")) or (code.endswith(")") and not after.startswith(("{", ":", "->"))):
                return number + 1
    return len(lines)


def _declared(tokens: list[Token]) -> Iterator[str]:
    """The names that a stretch of code declares outside of all brackets, and the enumerators of an enum."""
    depth = angle = 0
    in_enum = has_value = False
    specialised = ""
    statement: list[Token] = []
    for number, token in enumerate(tokens):
        text = token.text
        before = tokens[number - 1].text if number else ""
        after = tokens[number + 1].text if number + 1 < len(tokens) else ""
        if text in ("(", "{", "["):
            depth += 1
            in_enum = in_enum or (text == "{" and depth == 1 and any(one.text == "enum" for one in statement))
        elif text in (")", "}", "]"):
            depth -= 1
            if not depth and text == "}":
                statement, in_enum = [], False
        elif depth == 1 and in_enum and token.is_name and before in ("{", ","):
            yield text
        elif depth:
            continue
        elif text == "<" and before != _OPERATOR:
            angle += 1
            specialised = before if angle == 1 else specialised
        elif text == ">" and angle:
            angle -= 1
            if not angle and after == "(" and _NAME.fullmatch(specialised):
                yield specialised
        elif text == ";":
            statement, has_value = [], False
        elif text == "=" and before != _OPERATOR and not angle:
            has_value = True
        elif token.is_name and not angle and not has_value:
            statement.append(token)
            if text == _OPERATOR:
                yield _OPERATOR
                yield from _parameter_types(tokens[number:])
            elif _is_declared(before, text, after, statement[0].text):
                yield text


def _is_declared(before: str, text: str, after: str, first: str) -> bool:
    """Whether a name outside of all brackets is what its statement declares, by what stands beside it."""
    if after == "(":
        return text not in ("__attribute__", "decltype", "alignas", "sizeof", "noexcept")
    if before in _TYPE_WORDS or (before == "using" and after == "="):
        return text not in _TYPE_WORDS
    if after == ";" and first == "using":
        return True
    return (after in (";", "=", "[", ",") and before != "::") or (after == "__attribute__" and first == "typedef")


def _used(tokens: list[Token]) -> frozenset[str]:
    scoped = [token for before, token in zip(tokens, tokens[1:]) if before.text == "::"]
    return (names_in(tokens) - _bound(tokens)) | names_in(scoped)


def _bound(tokens: list[Token]) -> frozenset[str]:
    """Names of parameters and variables: what is called so elsewhere is not meant."""
    found = set()
    depth = 0
    for before, token, after in zip(tokens, tokens[1:], tokens[2:]):
        depth += (before.text in _OPENING) - (before.text in _CLOSED)
        if token.is_name and after.text in _AFTER_BOUND and (depth or after.text in (">", "=")):
            is_typed = before.is_name and before.text not in _NO_TYPES
            if is_typed or (before.text in ("*", "&") and after.text in (",", ")", "=")):
                found.add(token.text)
    return frozenset(found)


def _parameter_types(tokens: list[Token]) -> Iterator[str]:
    """The classes that an operator takes, as far as they have a name of their own."""
    opening = next((number for number, token in enumerate(tokens) if token.text == "(" and number), None)
    for token in tokens[opening or 0 :]:
        if token.text == ")":
            return
        if token.is_name and (token.text.startswith(("__", "rewarp")) or re.fullmatch(r"[a-z]+\d", token.text)):
            yield token.text
