"""Names: every CUDA-looking token gets its twin, or is reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property, lru_cache

from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Names, Problem, Project, Replacement
from rewarp.translation.code import is_declared
from rewarp.translation.lexing import Lexed
from rewarp.translation.namespaces import NamespaceTranslator
from rewarp.translation.reported_rules import NO_TWIN, RUNTIME_API
from rewarp.translation.span_set import NOWHERE, Places

# What looks like an API of NVIDIA's, whether a table lists it or not.
_LOOKS_CUDA = re.compile(
    rb"(?:cuda|cublas|cublasLt|cublasXt|cudnn|cufft|cufftXt|curand|cusparse|cusparseLt|cusolver|cusolverDn|cusolverSp"
    rb"|cusolverMg|cusolverRf|cutensor|cuFile|cupti|nvrtc|nvtx|nvml|nvjpeg|nvJitLink|nvPTXCompiler|npp[a-z]*|nccl|cu)"
    rb"[A-Z]\w*"
    rb"|(?:CU|CUBLAS|CUBLASLT|CUDNN|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUTENSOR|CUPTI|NVRTC|NVML|CUFILE)_[A-Z]\w*"
    rb"|CUDA_(?:ERROR|R|C)_\w+|__nv_\w+|__nvvm_\w+|CU[a-z]\w*"
)
# Words of the language or of every project that begin like one of NVIDIA's names.
_ORDINARY = re.compile(rb"(?:cu|Cu|CU)(?:rr|be|bic|boid|stom|rsor|ltur|ff|lprit|ring|rv|rl)[a-z]*[A-Z_]?\w*")
_HIP_TYPEDEF = re.compile(rb"\btypedef\s+(?:(?:struct|enum|union)\s+)?((?:__)?(?:hip|HIP|roc|miopen)\w*)\s+\Z")
_HIP_BODY = re.compile(rb"[ \t]+(?:\([^)]*\)[ \t]*)?(?:::)?(?:__)?(?:hip|HIP|roc|miopen)\w*")
_BEFORE_SCOPE = re.compile(rb"([A-Za-z_]\w*)::\s*\Z")
_MEMBER = re.compile(rb"(?:\.|->)\s*\Z")
_STATEMENT_END = re.compile(rb"\s*;")
_TEMPLATE_ARGUMENTS = re.compile(rb"\s*<")
_ELABORATED = re.compile(rb"\b(?:struct|class|enum|union)\s+\Z")
# Types that HIP declares under another tag, so that only the bare name means them.
_TYPEDEF = re.compile(
    rb"hipGraphicsResource|hipLaunchParams|hipExternal(?:Memory|Semaphore)(?:\w+Desc|\w+Params|HandleType)"
)
_TAGS = {b"hipGraphicsResource": b"_hipGraphicsResource", b"hipLaunchParams": b"hipLaunchParams_t"}
"""The others end in ``_st``."""
_WORD = re.compile(rb"[A-Za-z_]\w*")
_PASTE_AFTER = re.compile(rb"\s*##")
_TYPE_WORD = re.compile(rb"\b(?:struct|class|union|enum|using)\s+\Z")
_TYPE_BODY = re.compile(rb"\s*(?:final\b|[{:;=])")
_MACRO_NAME = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)")
# Libraries of which no table lists a name, because none has a twin.
_LIBRARIES_WITHOUT_TWINS = {
    b"npp": "ROCm's RPP and rocAL process images through another interface.",
    b"nvjpeg": "ROCm's rocJPEG decodes JPEG through another interface; it does not encode.",
    b"nvJitLink": "HIP links at run time with hipLinkCreate and its kin.",
    b"nvPTXCompiler": "There is no PTX on AMD: compile with hipRTC.",
}
_LIBRARY_WITHOUT_TWIN = re.compile(b"|".join(_LIBRARIES_WITHOUT_TWINS))


STAND_INS = {
    b"__CUDA_ARCH__": b"REWARP_CUDA_ARCH",
    b"CUDART_VERSION": b"REWARP_CUDA_VERSION",
    b"CUDA_VERSION": b"REWARP_CUDA_VERSION",
    b"__CUDACC_VER_MAJOR__": b"(REWARP_CUDA_VERSION / 1000)",
    b"__CUDACC_VER_MINOR__": b"(REWARP_CUDA_VERSION % 1000 / 10)",
    b"__CUDACC_VER_BUILD__": b"0",
}
"""Numbers that HIP does not define; where code, not an ``#if``, computes with one, the support header has a value."""


class Namer:
    """Renames in one file. ``code`` gives the file with comments and strings blanked; it is asked for late."""

    def __init__(
        self,
        lexed: Lexed,
        view: bytes,
        code: Callable[[], bytes],
        project: Project,
        skip: Callable[[int], bool] | None,
        dead: Places = NOWHERE,
        quiet: Places = NOWHERE,
        supplied: frozenset[bytes] = frozenset(),
    ) -> None:
        self.lexed = lexed
        self.view = view
        self.code = code
        self.project = project
        self.skip = skip
        self.supplied = supplied
        """Names of CUDA's that the project declares where this file sees it."""
        """Whether a place is left alone: another edit covers it, or HIP's compiler does not see it."""
        self.dead = dead
        """Code that drops out on AMD: names get their twins there too, but it needs no support header."""
        self.quiet = quiet
        """That, and what a build may leave out: nobody need hear there of a name without a twin."""
        self.is_hip = b"hip/hip_runtime" in view
        """Whether the file was HIP before: names that HIP and CUDA share mean HIP's there."""
        self.found = Names()

    def run(self) -> Names:
        renames = cuda.renames()
        known = cuda.names()
        namespaces = cuda.namespaces()
        for name, places in self.lexed.names.items():
            if _is_same(name):
                self.found.mapped += len(places)
                continue
            if self.skip:
                places = [at for at in places if not self.skip(at)]
                if not places:
                    continue
            if name in STAND_INS:
                self.found.replacements += [Replacement(at, at + len(name), STAND_INS[name]) for at in places]
                if b"REWARP_" in STAND_INS[name]:
                    self.found.supplied.add(name)
                self.found.mapped += len(places)
            elif name in namespaces:
                if name in _PREFIXES and b"##" in self.view:
                    self._pasted(name, places)
                translator = NamespaceTranslator(self.code(), self.project, self.skip, self.found)
                translator.translate(name, places, namespaces[name])
            elif name in renames:
                self._rename(name, places, renames[name])
            elif name in known:
                self._listed(name, places)
            elif looks_cuda(name):
                self._unlisted(name, places)
            elif name in _PREFIXES:
                self._pasted(name, places)
        return self.found

    # --- names in the tables --------------------------------------------------------

    def _rename(self, name: bytes, places: list[int], new: bytes) -> None:
        if name in self._macros.values():
            places = [at for at in places if not (at in self._macros and self._is_alias(name, at))]
        if self._has_typedefs and any(self._alias_type(name, at) not in (b"", new) for at in places):
            return
        ends = self.lexed.spliced
        size = len(name)
        self.found.replacements += [Replacement(at, ends.get(at) or at + size, new) for at in places]
        if _TYPEDEF.fullmatch(new):
            self._drop_keywords(name, places, new)
        if _is_noted(name):
            self._note(name, places)
        else:
            self.found.mapped += len(places)

    def _drop_keywords(self, name: bytes, places: list[int], new: bytes) -> None:
        """``struct cudaGraphicsResource*``: HIP's name is a typedef, which the keyword must not precede. ``struct
        cudaGraphicsResource;`` becomes that typedef, which may be said twice."""
        code = self.code()
        for at in places:
            keyword = _ELABORATED.search(code, max(0, at - 40), at)
            if keyword and _STATEMENT_END.match(code, at + len(name)):
                tag = _TAGS.get(new, new + b"_st")
                self.found.replacements.append(Replacement(*keyword.span(), b"typedef struct " + tag + b" "))
            elif keyword:
                self.found.replacements.append(Replacement(*keyword.span(), b""))

    def _listed(self, name: bytes, places: list[int]) -> None:
        """A name that stays as it is: HIP has it, the support header brings it, or nobody does."""
        twin = cuda.twin(name)
        assert twin is not None
        if twin.status == "mapped":
            self.found.mapped += len(places)
        elif name == b"texture":  # a class template; without arguments it is anybody's word
            self._note(name, [at for at in places if _TEMPLATE_ARGUMENTS.match(self.view, at + len(name))])
        elif twin.status == "noted":
            self._note(name, places)
        elif self._is_defined_here(name, places, twin):
            return
        elif twin.status == "supplied":
            self._supplied(name, places, twin)
        else:
            places = self.quiet.without(places)
            self.found.unsupported += len(places)
            fix = twin.note or "Find another way on ROCm, or keep the code behind a platform macro."
            if twin.roc:
                fix = f"{fix} ROCm has {twin.roc}."
            text = name.decode()
            for at in places:
                self._problem(NO_TWIN, name, at, "unsupported", f"{text} has no HIP twin", fix)

    def _is_defined_here(self, name: bytes, places: list[int], twin: cuda.Twin) -> bool:
        """Whether the project brings a name of CUDA's itself."""
        if name in self.supplied or self._is_own(name, declarable(twin, self.view, places)):
            return True
        return twin.kind == "type" and any(self._is_alias(name, at) for at in places)

    def _supplied(self, name: bytes, places: list[int], twin: cuda.Twin) -> None:
        self.found.mapped += len(places)
        if name in HIP_TOO and self.is_hip:
            return
        if self.dead.without(places):
            self.found.supplied.add(name)
        if twin.hip and twin.hip.encode() != name:
            self.found.replacements += [Replacement(at, at + len(name), twin.hip.encode()) for at in places]

    def _note(self, name: bytes, places: list[int]) -> None:
        twin = cuda.twin(name)
        assert twin is not None
        self.found.noted += len(places)
        if places:
            new = twin.hip if twin.hip and twin.hip != twin.cuda else ""
            note = twin.note or f"HIP has it since {twin.since}"
            message = f"{twin.cuda} became {new}: {note}" if new else f"{twin.cuda}: {note}"
            self._problem(RUNTIME_API, name, places[0], "noted", message, "Check this and the other uses.")

    def _is_alias(self, name: bytes, at: int) -> bool:
        """Whether a name is being defined as HIP's: ``#define cudaMalloc hipMalloc``."""
        after = at + len(name)
        if at in self._macros:
            return bool(_HIP_BODY.match(self.view, after))
        return bool(self._alias_type(name, at))

    def _alias_type(self, name: bytes, at: int) -> bytes:
        """The type of HIP's that the project gives a name of CUDA's, as in ``typedef hip_bfloat16 nv_bfloat16;``."""
        after = at + len(name)
        if self.view[after : after + 1] != b";":
            return b""
        match = _HIP_TYPEDEF.search(self.view, max(0, at - 80), at)
        return match[1] if match else b""

    # --- names in no table ----------------------------------------------------------

    def _unlisted(self, name: bytes, places: list[int]) -> None:
        if name in self.project.own_names or self._is_own(name, places):
            return
        code = self.code()
        loose = [at for at in self.quiet.without(places) if not self._is_scoped(code, at)]
        if pasted := [at for at in loose if _PASTE_AFTER.match(code, at + len(name))]:
            self._pasted(name, pasted)
            loose = [at for at in loose if at not in pasted]
        text = name.decode()
        if library := _LIBRARY_WITHOUT_TWIN.match(name):
            self.found.unsupported += len(loose)
            fix = _LIBRARIES_WITHOUT_TWINS[library[0]]
            for at in loose:
                self._problem(NO_TWIN, name, at, "unsupported", f"{text} has no HIP twin", fix)
            return
        self.found.unknown += len(loose)
        for at in loose:
            self._problem(
                NO_TWIN,
                name,
                at,
                "unknown",
                f"{text} looks like CUDA, and no table lists it",
                "If it is the project's own, translate the file that declares it in the same run; "
                "else look for its twin in ROCm.",
            )

    def _is_own(self, name: bytes, places: Iterable[int]) -> bool:
        if name in self._macros.values():
            return True
        likely = [at for at in places if is_declared(self.view, at)]  # spares most files the blanking of comments
        return any(is_declared(self.code(), at) for at in likely)

    @cached_property
    def _has_typedefs(self) -> bool:
        return b"typedef" in self.view

    @cached_property
    def _macros(self) -> dict[int, bytes]:
        """The macros that the file defines, by where their names stand."""
        found = (_MACRO_NAME.match(self.view, line.start) for line in self.lexed.lines if line.word == b"define")
        return {match.start(1): match[1] for match in found if match}

    @staticmethod
    def _is_scoped(code: bytes, at: int) -> bool:
        """Whether a name belongs to something: ``object.name``, ``project::name``."""
        before = code[max(0, at - 120) : at]
        return bool(_MEMBER.search(before) or _BEFORE_SCOPE.search(before))

    def _pasted(self, name: bytes, places: list[int]) -> None:
        """``cublas##T##gemm``: the beginning of a name, completed by the preprocessor."""
        new = _twin_of_beginning(name)
        code = self.code()
        for at in places:
            if _PASTE_AFTER.match(code, at + len(name)):
                if new:
                    self.found.replacements.append(Replacement(at, at + len(name), new))
                    self.found.mapped += 1
                else:
                    self.found.unknown += 1
                    text = name.decode()
                    message = f"{text}## builds a name that cannot be told here"
                    self._problem(NO_TWIN, name, at, "unknown", message, "Write the HIP names out.")

    def _problem(self, rule: str, name: bytes, at: int, kind: str, message: str, fix: str) -> None:
        self.found.problems.append(Problem(rule, Span(at, at + len(name)), kind, message, fix, name.decode()))


HIP_TOO = frozenset(b"warpSize __ballot __any __all __shfl __shfl_up __shfl_down __shfl_xor".split())
"""What HIP has too, for the whole wave."""
_PREFIXES = frozenset(
    b"cuda cublas cublasLt cudnn cufft curand cusparse cusolver cusolverDn cu CUDA_ CU_ CUBLAS_ CUFFT_ CURAND_ "
    b"CUSPARSE_ CUSOLVER_ CUDNN_ cublasI cublasGemm".split()
)


def declarable(twin: cuda.Twin, view: bytes, places: list[int]) -> list[int]:
    """Where a name could be declared: a macro nowhere but in a ``#define``, though ``void CUDART_CB f()`` looks so;
    a type only after a word that says it, not in ``const __nv_fp8_e4m3 x``."""
    if twin.kind in ("macro", "keyword"):
        return []
    if twin.kind != "type":
        return places
    size = len(twin.cuda)
    return [at for at in places if _TYPE_WORD.search(view, max(0, at - 40), at) and _TYPE_BODY.match(view, at + size)]


def looks_cuda(name: bytes) -> bool:
    """Whether a name that no table lists could still be one of NVIDIA's."""
    return bool(_LOOKS_CUDA.fullmatch(name)) and not _ORDINARY.fullmatch(name)


def renamed(text: bytes) -> bytes:
    """A piece of code with its names translated, for a place where nobody looks for names again."""
    new = cuda.renames()
    return _WORD.sub(lambda match: new.get(match[0], match[0]), text)


@cache
def _is_same(name: bytes) -> bool:
    """Whether HIP has a name with the same meaning, ``__global__`` for one: most names of most kernels."""
    row = cuda.names().get(name, b"")
    return b"\tmapped\t\t" in row and row.startswith(name + b"\t")


@cache
def _is_noted(name: bytes) -> bool:
    """Whether to tell about a name: its meaning differs, or only the newest HIP has it."""
    row = cuda.names()[name]
    return b"\tnoted\t" in row or b"\tmapped\t7" in row


@lru_cache(maxsize=256)
def _twin_of_beginning(beginning: bytes) -> bytes | None:
    """What the beginning of a name becomes, where the names that begin so agree on it."""
    votes: dict[bytes, int] = {}
    for name, new in cuda.renames().items():
        rest = name[len(beginning) :]
        if name.startswith(beginning) and rest and new.endswith(rest):
            start = new[: len(new) - len(rest)]
            votes[start] = votes.get(start, 0) + 1
    if not votes:
        return None
    best = max(votes, key=lambda start: votes[start])
    return best if votes[best] * 3 > 2 * sum(votes.values()) else None
