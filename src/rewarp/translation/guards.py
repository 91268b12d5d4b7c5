"""``#if`` conditions on NVIDIA's macros, decided one by one.

HIP defines no ``__CUDA_ARCH__`` and no ``CUDART_VERSION``. A blanket answer goes wrong both
ways: too old an architecture drops kernels or defines ``atomicAdd`` again, too new a one
compiles inline PTX. So each ``#if`` is asked on its own: which NVIDIA GPU and toolkit would have
to be pretended for the compiler to take a branch that has a meaning on AMD and loses no kernel?
The first that fits wins, in an order that begins with what AMD GPUs come closest to: half,
bfloat16 and fp8 arithmetic, but neither tensor memory nor thread-block clusters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from rewarp.lang.cpp.conditions import Macro, compiled_arms, fold_directive, number
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.source import SourceFile, Span
from rewarp.tables import cuda
from rewarp.translation import closest, ptx
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Problem, Project, Replacement
from rewarp.translation.places import Places
from rewarp.translation.ptx_reader import statement_end

_RULE = "CU-011"
_ARCH = "__CUDA_ARCH__"
_VERSIONS = ("CUDART_VERSION", "CUDA_VERSION", "__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__")
TESTED = frozenset(name.encode() for name in (_ARCH, *_VERSIONS))
"""The macros whose conditions are decided here."""
_NEW_HIP = "7"
# The last one is torch's: its build of an extension for ROCm defines it, and nobody tests it for anything else.
_COMPILER_MACROS = re.compile(r"__HIP(CC|_PLATFORM_(AMD|HCC))?__|__AMDGCN__|__AMDGPU__")
_TORCH_MACRO = "USE_ROCM"
"""What torch defines when it builds an extension for AMD. Other builds need not, so both branches are translated."""
_NAMES_HIP = re.compile(r"\b(?:__(?:HIP|AMDG)|USE_ROCM\b)")
_CONSTANT = re.compile(r"[01]\b")
_NAMES_TORCH = re.compile(_TORCH_MACRO)
_NAMES_CUDA = re.compile(r"\b(?:__CUDA_ARCH__|CUDART_VERSION|CUDA_VERSION|__CUDACC_VER_M(?:AJOR|INOR)__)\b")
_NOT_HIP_MACROS = re.compile(r"__HIP_PLATFORM_NV(CC|IDIA)__|__NVCOMPILER")
_OPERATOR = rb"(?:[<>=!]=|[<>])"
_MACRO = rb"(?:__CUDA_ARCH__|CUDART_VERSION|CUDA_VERSION|__CUDACC_VER_M(?:AJOR|INOR)__)"
_VALUE = rb"(?:\(\s*" + _MACRO + rb"\s*\)|" + _MACRO + rb")(?:\s*[/%*+-]\s*\d+)*"
_ATOM = re.compile(
    rb"\bdefined\s*\(\s*" + _MACRO + rb"\s*\)|\bdefined\s+" + _MACRO + rb"\b"
    rb"|(?<![\w)])" + _VALUE + rb"\s*" + _OPERATOR + rb"\s*\w+(?!\s*[(*/%+-])"
    rb"|(?<![\w)*/%+-])\w+\s*" + _OPERATOR + rb"\s*" + _VALUE + rb"(?![\w(])"
    rb"|(?<!\w)" + _MACRO + rb"(?!\w)"
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_ASM = re.compile(rb"asm(?:__)?(?!\w)")
_ASM_STATEMENT = re.compile(rb"(?:__)?asm(?:__)?(?:\s|\\\r?\n|volatile|__volatile__)*\(")
_ASM_TEXT = re.compile(
    rb"(?:\s|\\\r?\n|volatile|__volatile__|goto|inline)*\((?:\s|\\\r?\n)*(?:R\"[^(]*\(|\")((?:\\.|[^\"\\])*)"
)
# Names with a dot and a type, or one of PTX's registers: ARM's vector instructions have such types too, and a v before.
_LOOKS_PTX = re.compile(
    rb"\.reg\b|%(?:laneid|lanemask_\w\w|warpid|smid|clock|globaltimer|n?tid|n?ctaid|dynamic_smem_size)\b"
    rb"|(?:\b(?!v)[a-z]\w*\.(?:\w+\.){0,16}|\"\.)(?:b?[busf](?:8|16|32|64)(?:x2)?|pred|sync)\b"
)
_AMD_ASM = re.compile(rb"\s*(?:[svb]_|ds_|buffer_|global_|flat_|scratch_|llvm\.|;|$|\\n)")
_DEFINITION = re.compile(
    rb"\b(atomic\w+|__\w+|h[a-z]+2?|make_\w+)\s*\([^;{}()]*\)"
    rb"(?:\s*(?:#[^\n]{0,400}(?=\n)|__attribute__\s*\(\([^;{}\n]{0,400}\)\)))*\s*\{"
)
_DECLARES = re.compile(rb"\b(?:__device__|inline|template|struct|class|static)\b")
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)")
_GLOBAL = re.compile(rb"__global__")
_ERROR = re.compile(rb"^[ \t]*#[ \t]*error\b", re.M)
_DEVICE = "__HIP_DEVICE_COMPILE__"
_HIP_CODE = f"defined({_DEVICE})"


class Branch(NamedTuple):
    """What lies between two directives of one ``#if``."""

    test: Directive
    body: Span
    nested: list[Group]


@dataclass
class Group:
    """An ``#if`` with its ``#elif`` and ``#else``."""

    branches: list[Branch] = field(default_factory=list)
    decided: dict[str, Macro] = field(default_factory=dict)
    on_host: dict[str, Macro] = field(default_factory=dict)
    """The same where the host's code is compiled."""
    """What was pretended for it; empty when it tests no macro of NVIDIA's."""
    portable: bool = True

    @property
    def end(self) -> int:
        return self.branches[-1].body.end


class _Candidate(NamedTuple):
    arch: Macro
    version: int

    def macros(self) -> dict[str, Macro]:
        return closest.macros(self.arch, self.version)


def groups(document: CodeFile) -> list[Group]:
    """The file's conditional compilation, with room for what is decided about it."""
    every = list(document.every_conditional())
    made = {id(one): Group() for one in every}
    for one in every:
        made[id(one)].branches = [
            Branch(arm.test, arm.body, [made[id(inner)] for inner in arm.nested]) for arm in one.arms
        ]
    return [made[id(one)] for one in document.conditionals]


def ptx_places(document: CodeFile) -> list[int]:
    """Where inline assembly stands that is not AMD's, and can be PTX."""
    found = []
    code = document.code
    device = is_device_code(document.source)
    for match in _ASM.finditer(code):
        start = match.start() - 2 if code[max(0, match.start() - 2) : match.start()] == b"__" else match.start()
        if start and (code[start - 1 : start].isalnum() or code[start - 1 : start] == b"_"):
            continue
        view = document.source.view
        text = _ASM_TEXT.match(view, match.end())
        if text and not _AMD_ASM.match(text[1]) and (device or _looks_ptx(view, start)):
            found.append(start)
    return found


def bad_places(document: CodeFile, lexed: Lexed) -> list[int]:
    """Code without a meaning on AMD: inline PTX that has no twin, names and headers that HIP lacks or only its newest
    versions have."""
    view = document.source.view
    found = [at for name, places in lexed.names.items() if _lacks_twin(name) for at in places]
    found += [
        line.start
        for line in lexed.lines
        if line.path and _has_no_twin(cuda.header(view[line.path.start + 1 : line.path.end - 1]))
    ]
    if holds_ptx(document.source):
        found += [at for at in ptx_places(document) if not ptx.understood(view, at)]
    return found


def holds_ptx(source: SourceFile) -> bool:
    """Whether a file may hold PTX, as far as its bytes tell."""
    view = source.view
    if b"asm" not in view:
        return False
    return is_device_code(source) or any(_looks_ptx(view, match.start()) for match in _ASM_STATEMENT.finditer(view))


def _looks_ptx(view: bytes, at: int) -> bool:
    """Whether the asm statement at a place is PTX by its text alone."""
    end = statement_end(view, at)
    return end is not None and _LOOKS_PTX.search(view, at, end) is not None


def is_device_code(source: SourceFile) -> bool:
    """Whether any assembly in a file may be PTX; a header may hide the words behind macros."""
    return source.path.endswith((".cu", ".cuh")) or b"__device__" in source.view or b"__global__" in source.view


@cache
def _lacks_twin(name: bytes) -> bool:
    return _has_no_twin(cuda.twin(name))


def _has_no_twin(twin: cuda.Twin | None) -> bool:
    return twin is not None and (twin.status == "unsupported" or twin.since >= _NEW_HIP)


@lru_cache(maxsize=4096)
def _settled_by_hip(word: str, condition: str) -> bool | None:
    return fold_directive(word, condition, hip_macro)


def hip_macro(name: str) -> Macro:
    """What HIP's compiler itself defines; None for what only a build could say."""
    if _COMPILER_MACROS.fullmatch(name):
        return True
    return False if _NOT_HIP_MACROS.fullmatch(name) else None


def _torch_macro(name: str) -> Macro:
    """The same in a build of torch's for AMD."""
    return True if name == _TORCH_MACRO else hip_macro(name)


def _no_hip_macro(name: str) -> Macro:
    """The same on another compiler."""
    return False if _torch_macro(name) else None


class _World(NamedTuple):
    """A compiler and what it has defined; the name tells it from others."""

    name: tuple[object, ...]
    macro: Callable[[str], Macro]


_ON_HIP = _World(("hip",), hip_macro)
_IN_TORCH = _World(("torch",), _torch_macro)
_ELSEWHERE = _World(("elsewhere",), _no_hip_macro)


class Guards:
    """Decides the conditions of one file."""

    def __init__(self, document: CodeFile, project: Project, bad_places: list[int]) -> None:
        self.document = document
        self.code = document.code
        self.project = project
        self.bad = sorted(bad_places)
        """Code without a meaning on AMD: inline PTX, names that have no twin."""
        self.groups = groups(document)
        self.replacements: list[Replacement] = []
        self.problems: list[Problem] = []
        self.refused: list[Span] = []
        """Branches that another GPU than the closest has to be pretended for, because they have no meaning on AMD."""
        self._portable: dict[Span, bool] = {}
        self._twins_defined: dict[Span, bool] = {}
        """What was found out about a branch, by its body: every choice for its group asks again."""

    def decide(self) -> Guards:
        for group in reversed(list(_every(self.groups))):  # what a group holds comes before it
            self._decide(group)
        return self

    def left_alone(self) -> list[Span]:
        """Code that HIP's compiler never sees, because a test of its own macros keeps it out."""
        return self._dropped(_NAMES_HIP, _ON_HIP)

    def for_hip(self) -> list[Span]:
        """Code that only HIP's compiler sees: it was written for HIP."""
        return self._dropped(_NAMES_HIP, _ELSEWHERE)

    def quiet(self, dead: list[Span]) -> list[Span]:
        """Code that need not be reported on: what is dead, or kept from AMD by torch's macro."""
        return sorted(dead + self._dropped(_NAMES_TORCH, _IN_TORCH))

    def _dropped(self, names: re.Pattern[str], world: _World) -> list[Span]:
        """What a compiler leaves out of the groups whose conditions hold such a name."""
        return [
            branch.body
            for group in _every(self.groups)
            if any(names.search(branch.test.condition) for branch in group.branches)
            for branch, compiled in zip(group.branches, self._compiled(group, world))
            if compiled is False
        ]

    def dead(self, *, on_device_only: bool = False) -> list[Span]:
        """Code that drops out on AMD by what was decided here, and what was dead before: for the host and the device,
        or at least for the device."""
        spans = self.left_alone()
        for group in _every(self.groups):
            if not (group.decided or self._hangs_on_decided(group)):
                continue
            device = self._compiled(group, self._macros(group.decided))
            host = device if on_device_only else self._compiled(group, self._macros(group.on_host, on_device=False))
            spans += [b.body for b, *values in zip(group.branches, device, host) if values == [False, False]]
        return sorted(spans)

    def _hangs_on_decided(self, group: Group) -> bool:
        """Whether a condition names a macro that no file defines any more by what was decided there, tells the host
        from the device, or was settled for good."""
        if any(_CONSTANT.match(branch.test.condition) for branch in group.branches):
            return True
        macros = self.project.unportable_macros | {_DEVICE.encode()}
        return any(word in macros for b in group.branches for word in _WORD.findall(b.test.condition.encode()))

    def tested(self) -> list[Group]:
        """The groups that were decided here."""
        return [group for group in _every(self.groups) if group.decided]

    def cost_of(self, group: Group, arch: Macro, version: int) -> tuple[int, int]:
        """How bad it is for a group to see this GPU and this toolkit: kernels lost, and branches without a meaning."""
        return self._cost(group, _Candidate(arch, version))

    # --- deciding one group ---------------------------------------------------------

    def _decide(self, group: Group) -> None:
        tests = [test for branch in group.branches if (test := branch.test).word != "else"]
        if not any(self._concerns(test) for test in tests):
            group.portable = any(self._is_portable(branch) for branch in group.branches)
            return
        candidates = self._candidates(tests)
        first = chosen = next(candidates)
        refused = cost = self._cost(group, first)
        for candidate in candidates if cost > (0, 0) else ():
            if (other := self._cost(group, candidate)) < cost:
                chosen, cost = candidate, other
        group.decided = chosen.macros()
        group.portable = not cost[1]
        if chosen != first:
            self.refused += self._only_under(group, first, chosen)
        host = chosen._replace(arch=False)
        if self._redefines(group, host):
            host = chosen
        group.on_host = host.macros()
        for test in tests:
            if self._concerns(test):
                self._rewrite(test, chosen, host)
        if refused > (0, 0):
            self._explain(group, first if chosen != first else None)

    def _only_under(self, group: Group, first: _Candidate, chosen: _Candidate) -> Iterator[Span]:
        """Branches that the compiler takes under the first choice, and not under the other."""
        before, after = (self._compiled(group, self._macros(one.macros())) for one in (first, chosen))
        for branch, taken, left in zip(group.branches, before, after):
            if taken is not False and left is False:
                yield branch.body

    def _concerns(self, test: Directive) -> bool:
        """Whether a condition hangs on NVIDIA's macros: it names one, and HIP's own do not settle it."""
        if "CUDA" not in test.condition or not _NAMES_CUDA.search(test.condition):
            return False
        return _settled_by_hip(test.word, test.condition) is None

    def _candidates(self, tests: list[Directive]) -> Iterator[_Candidate]:
        arches, versions = {closest.ARCH}, {closest.CUDA}
        for test in tests:
            for atom in _ATOM.finditer(test.condition.encode()):
                into = arches if _ARCH.encode() in atom[0] else versions
                major = b"MAJOR" in atom[0] or b"MINOR" in atom[0]
                for value in self._numbers(atom[0]):
                    at = value * (1000 if b"MAJOR" in atom[0] else 10) if major else value
                    into.update((at, at - 10) if major else (at, at - 1, at + 1))
        yield from (
            _Candidate(arch, version)
            for arch, version in product((*_nearest(arches, closest.ARCH), False), _nearest(versions, closest.CUDA))
        )

    def _numbers(self, atom: bytes) -> Iterator[int]:
        scale = 1
        for match in re.finditer(rb"/\s*(\d+)", atom):
            scale *= int(match[1]) or 1
        atom = re.sub(rb"[/%*+-]\s*\d+", b"", atom)
        for word in re.findall(rb"\w+", atom):
            value = number(word.decode(), lambda name: self.project.numbers.get(name.encode()))
            if value is not None and word.decode() not in (_ARCH, *_VERSIONS):
                yield value * scale

    def _macros(self, pretended: dict[str, Macro], *, on_device: bool = True) -> _World:
        def macro(name: str) -> Macro:
            if name in pretended:
                return pretended[name]
            if name == _DEVICE:
                return on_device
            if name.encode() in self.project.unportable_macros:
                return False
            known = hip_macro(name)
            return known if known is not None else self.project.numbers.get(name.encode())

        return _World((pretended.get(_ARCH), pretended.get("CUDART_VERSION"), on_device), macro)

    def _fold(self, word: str, condition: str, world: _World) -> bool | None:
        """The truth of a condition there. A project asks the same few over and over."""
        key = (word, condition, world.name)
        folds = self.project.folds
        if key not in folds:
            folds[key] = fold_directive(word, condition, world.macro)
        return folds[key]

    def _compiled(self, group: Group, world: _World) -> list[bool | None]:
        """For each branch whether the compiler takes it."""
        tests = (branch.test for branch in group.branches)
        return list(compiled_arms(None if test.include_guard else self._taken(test, world) for test in tests))

    def _taken(self, test: Directive, world: _World) -> bool | None:
        return True if test.word == "else" else self._fold(test.word, test.condition, world)

    def _cost(self, group: Group, candidate: _Candidate) -> tuple[int, int]:
        """How bad a choice is: kernels that vanish, and branches that mean nothing on AMD."""
        compiled = self._compiled(group, self._macros(candidate.macros()))
        taken = [branch for branch, value in zip(group.branches, compiled) if value is not False]
        kernels = [self._kernels_in(branch.body) for branch in group.branches]
        kept = sum(count for count, value in zip(kernels, compiled) if value is not False)
        bad = sum(not self._is_portable(branch) for branch in taken)
        if candidate.arch is not False and self._redefines(group, candidate):
            bad += 1
        return max(0, max(kernels) - kept), bad

    def _kernels_in(self, where: Span) -> int:
        return bisect_left(self._kernels, where.end) - bisect_left(self._kernels, where.start)

    @cached_property
    def _kernels(self) -> list[int]:
        return [match.start() for match in _GLOBAL.finditer(self.code)]

    def _is_portable(self, branch: Branch) -> bool:
        if branch.body not in self._portable:
            self._portable[branch.body] = self._has_meaning(branch)
        return self._portable[branch.body]

    def _has_meaning(self, branch: Branch) -> bool:
        """Whether HIP's compiler can take a branch: all in it has a twin, and nothing refuses to go on."""
        if not all(group.portable for group in branch.nested):
            return False
        inner = Places(Span(group.branches[0].test.where.start, group.end) for group in branch.nested)
        first, last = (bisect_left(self.bad, at) for at in branch.body)
        if any(at not in inner for at in self.bad[first:last]):
            return False
        text = self.code[slice(*branch.body)]
        if b"error" in text and _ERROR.search(text):
            return False
        unportable = self.project.unportable_macros
        return not (unportable and any(match[1] in unportable for match in _DEFINE.finditer(text)))

    def _redefines(self, group: Group, candidate: _Candidate) -> bool:
        """Whether a choice compiles a definition of a function that HIP's headers already have."""
        if not any(self._defines_twin(branch) for branch in group.branches):
            return False
        compiled = self._compiled(group, self._macros(candidate.macros()))
        return any(value is not False and self._defines_twin(branch) for branch, value in zip(group.branches, compiled))

    def _defines_twin(self, branch: Branch) -> bool:
        if branch.body not in self._twins_defined:
            self._twins_defined[branch.body] = self._finds_twin(branch)
        return self._twins_defined[branch.body]

    def _finds_twin(self, branch: Branch) -> bool:
        """Whether a branch defines a function that HIP's headers have, where HIP's compiler can see it."""
        first, last = (bisect_left(self._twin_definitions, (at,)) for at in branch.body)
        found = [start for start, end in self._twin_definitions[first:last] if end <= branch.body.end]
        if not found or not branch.nested:
            return bool(found)
        dead = [
            inner.body
            for group in _every(branch.nested)
            for inner, value in zip(group.branches, self._compiled(group, self._macros(group.decided)))
            if value is False
        ]
        return bool(Places(dead).without(found))

    @cached_property
    def _twin_definitions(self) -> list[tuple[int, int]]:
        """Definitions of functions that HIP's headers have. Branches nest: each would look through the same text again."""
        return [
            match.span()
            for match in _DEFINITION.finditer(self.code)
            if (twin := cuda.twin(match[1])) is not None and twin.hip
        ]

    # --- writing it down ------------------------------------------------------------

    def _rewrite(self, test: Directive, device: _Candidate, host: _Candidate) -> None:
        start, end = test.where
        if test.word.endswith("def"):
            self._rewrite_def(test, device, host)
            return
        start = self.code.index(test.word.encode(), start) + len(test.word)
        for atom in _ATOM.finditer(self.code, start, end):
            text = atom[0].decode()
            if atom[0] in TESTED and _is_computed_with(self.code, atom.start(), atom.end()):
                continue  # the names' pass puts a number there
            on_device = bool(self._fold("if", text, self._macros(device.macros())))
            on_host = bool(self._fold("if", text, self._macros(host.macros(), on_device=False)))
            if not self._is_decidable(text):
                on_device, on_host = self._guess(text), host is device and self._guess(text)
            new = _condition(on_device, on_host)
            note = "" if new == _HIP_CODE and text.startswith("defined") else f" /* {' '.join(text.split())} */"
            self.replacements.append(Replacement(atom.start(), atom.end(), f"{new}{note}".encode()))

    def _is_decidable(self, atom: str) -> bool:
        return self._fold("if", atom, self._macros(_Candidate(closest.ARCH, closest.CUDA).macros())) is not None

    @staticmethod
    def _guess(atom: str) -> bool:
        """Against a number nobody knows, the newest wins."""
        newest_left = re.match(r"\s*(?:\(\s*)?(?:__CUDA|CUDA)", atom)
        return bool(re.search(r">" if newest_left else r"<", atom))

    def _rewrite_def(self, test: Directive, device: _Candidate, host: _Candidate) -> None:
        """``#ifdef __CUDA_ARCH__`` and its kin."""
        match = re.compile(_MACRO).search(self.code, *test.where)
        if not match:
            return
        name = match[0].decode()
        on_device = device.macros()[name] is not False
        if name == _ARCH and on_device and host.arch is False:
            self.replacements.append(Replacement(match.start(), match.end(), b"__HIP_DEVICE_COMPILE__"))
            return
        word_at = self.code.index(test.word.encode(), test.where.start)
        truth = on_device != test.word.endswith("ndef")
        word = "elif" if test.word.startswith("el") else "if"
        new = f"{word} {int(truth)} /* {test.word} {name} */"
        self.replacements.append(Replacement(word_at, match.end(), new.encode()))

    def _explain(self, group: Group, refused: _Candidate | None) -> None:
        where = Span(*group.branches[0].test.where)
        condition = " ".join(group.branches[0].test.condition.split())
        if not group.portable:
            self.problems.append(
                Problem(
                    _RULE,
                    where,
                    "decision",
                    f"no branch under `{condition}` has a meaning on AMD",
                    "Write a branch for AMD: what is there holds inline PTX, a name without a twin, or an #error.",
                )
            )
        elif refused:
            self.problems.append(
                Problem(
                    _RULE,
                    where,
                    "decision",
                    f"`{condition}`: AMD takes the branch for other GPUs, for this one holds code without a twin",
                    "Check that the branch taken does the whole job, or write one for AMD.",
                )
            )


def unportable_macros(tree: list[Group], bad_places: list[int]) -> set[bytes]:
    """Macros that switch on code without a meaning on AMD."""
    found: set[bytes] = set()
    places = sorted(bad_places)
    for group in _every(tree) if places else ():
        for branch in group.branches:
            if branch.test.word == "else" or branch.test.word.endswith("ndef"):
                continue
            first, last = (bisect_left(places, at) for at in branch.body)
            if first < last:
                found.update(_required(branch.test))
    return found


def declares_under_conditions(tree: list[Group], code: bytes, places: list[int]) -> bool:
    """Whether a branch that holds one of the places may declare something that other code needs."""
    ordered = sorted(places)
    for group in _every(tree):
        if not any(_NAMES_CUDA.search(branch.test.condition) for branch in group.branches):
            continue
        for branch in group.branches:
            first, last = (bisect_left(ordered, at) for at in branch.body)
            if first < last and _DECLARES.search(code, *branch.body):
                return True
    return False


def macros_by_guard(tree: list[Group], code: bytes) -> tuple[set[bytes], set[bytes]]:
    """Macros that are defined under a test of NVIDIA's macros, and those defined elsewhere."""
    guarded = Places(
        branch.body
        for group in _every(tree)
        if any(
            word in TESTED for branch in group.branches for word in re.findall(rb"\w+", branch.test.condition.encode())
        )
        for branch in group.branches
    )
    under: set[bytes] = set()
    elsewhere: set[bytes] = set()
    for match in _DEFINE.finditer(code):
        (under if match.start() in guarded else elsewhere).add(match[1])
    return under, elsewhere


def _every(found: list[Group]) -> Iterator[Group]:
    """Groups and those inside them, each before what it holds. They may nest deeper than Python's stack."""
    pending = [*reversed(found)]
    while pending:
        group = pending.pop()
        yield group
        pending += (inner for branch in reversed(group.branches) for inner in reversed(branch.nested))


def _required(test: Directive) -> Iterator[bytes]:
    """The macros that a condition needs defined."""
    for word in set(re.findall(r"[A-Za-z_]\w*", test.condition)) - {"defined"}:

        def without(name: str, word: str = word) -> Macro:
            return False if name == word else None

        if fold_directive(test.word, test.condition, without) is False and word.encode() not in TESTED:
            yield word.encode()


def _nearest(values: set[int], first: int) -> list[int]:
    """The first one, then older ones, newest first, then newer ones, oldest first."""
    older = sorted((value for value in values if value < first), reverse=True)
    return [first, *older, *sorted(value for value in values if value > first)]


def _is_computed_with(code: bytes, start: int, end: int) -> bool:
    """Whether a macro stands in an arithmetic expression, where true or false would be the wrong kind of answer."""
    before, after = code[:start].rstrip(b" \t(")[-1:], code[end : end + 40].lstrip(b" \t)")[:2]
    return before in b"+-*/%<>=" or (after[:1] in b"+-*/%<>=" and after[:1] != b"") or after == b"!="


def _condition(on_device: bool, on_host: bool) -> str:
    if on_device == on_host:
        return str(int(on_device))
    return _HIP_CODE if on_device else f"!{_HIP_CODE}"
