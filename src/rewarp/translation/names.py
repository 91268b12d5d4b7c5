"""Names: every CUDA-looking token gets its twin, or is reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from rewarp.lang.cfamily import is_declaration
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Problem, Project, Replacement

_RULE = "CU-004"
_NOTED_RULE = "CU-001"
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
_HIP_BODY = re.compile(rb"[ \t]+(?:\([^)]*\)[ \t]*)?(?:::)?(?:__)?(?:hip|HIP|roc|miopen)\w*")
_SCOPE = re.compile(rb"\s*::")
_BEFORE_SCOPE = re.compile(rb"([A-Za-z_]\w*)::\s*\Z")
_MEMBER = re.compile(rb"(?:\.|->)\s*\Z")
_NAMESPACE_WORD = re.compile(rb"\bnamespace\s+(?:\w+\s*=\s*)?\Z")
_WMMA = re.compile(rb"nvcuda\s*::\s*wmma\b")
_USING = re.compile(rb"\busing\s+namespace\s+(?:::\s*)?\Z")
_STATEMENT_END = re.compile(rb"\s*;")
_PASTE_AFTER = re.compile(rb"\s*##")
_CALLED = re.compile(rb"\s*(?:<[^;{}()]*>\s*)?\(")
_ALIAS_DEFINE = re.compile(rb"#[ \t]*define[ \t]+\Z")


STAND_INS = {
    b"__CUDA_ARCH__": b"REWARP_CUDA_ARCH",
    b"CUDART_VERSION": b"REWARP_CUDA_VERSION",
    b"CUDA_VERSION": b"REWARP_CUDA_VERSION",
    b"__CUDACC_VER_MAJOR__": b"(REWARP_CUDA_VERSION / 1000)",
    b"__CUDACC_VER_MINOR__": b"(REWARP_CUDA_VERSION % 1000 / 10)",
}
"""Numbers that HIP does not define; where code, not an ``#if``, computes with one, the support header has a value."""


@dataclass
class Names:
    """What became of a file's names."""

    replacements: list[Replacement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    mapped: int = 0
    noted: int = 0
    unsupported: int = 0
    unknown: int = 0
    supplied: set[bytes] = field(default_factory=set)
    """Names that the support header has to bring."""


class Namer:
    """Renames in one file. ``code`` gives the file with comments and strings blanked; it is asked for late."""

    def __init__(
        self, lexed: Lexed, view: bytes, code: Callable[[], bytes], project: Project, skip: Callable[[int], bool] | None
    ) -> None:
        self.lexed = lexed
        self.view = view
        self.code = code
        self.project = project
        self.skip = skip
        """Whether a place is left alone: another edit covers it, or HIP's compiler does not see it."""
        self.is_hip = b"hip/hip_runtime" in view
        """Whether the file was HIP before: names that HIP and CUDA share mean HIP's there."""
        self.found = Names()

    def run(self) -> Names:
        renames = cuda.renames()
        known = cuda.names()
        namespaces = cuda.namespaces()
        for name, places in self.lexed.names.items():
            if self.skip:
                places = [at for at in places if not self.skip(at)]
                if not places:
                    continue
            if name in STAND_INS:
                self.found.replacements += [Replacement(at, at + len(name), STAND_INS[name]) for at in places]
                self.found.supplied.add(name)
                self.found.mapped += len(places)
            elif name in namespaces:
                self._namespace(name, places, namespaces[name])
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
        if b"define" in self.view:
            places = [at for at in places if not self._is_alias(name, at)]
        ends = self.lexed.spliced
        size = len(name)
        self.found.replacements += [Replacement(at, ends.get(at) or at + size, new) for at in places]
        if name in _noted_names():
            self._note(name, places)
        else:
            self.found.mapped += len(places)

    def _listed(self, name: bytes, places: list[int]) -> None:
        """A name that stays as it is: HIP has it, the support header brings it, or nobody does."""
        twin = cuda.twin(name)
        assert twin is not None
        if twin.status == "mapped":
            self.found.mapped += len(places)
        elif twin.status == "noted":
            self._note(name, places)
        elif name in self.project.own_names or self._is_own(name, declarable(twin, places)):
            return
        elif twin.status == "supplied":
            self._supplied(name, places, twin)
        else:
            self.found.unsupported += len(places)
            fix = twin.note or "Find another way on ROCm, or keep the code behind a platform macro."
            if twin.roc:
                fix = f"{fix} ROCm has {twin.roc}."
            text = name.decode()
            for at in places:
                self._problem(_RULE, name, at, "unsupported", f"{text} has no HIP twin", fix)

    def _supplied(self, name: bytes, places: list[int], twin: cuda.Twin) -> None:
        self.found.mapped += len(places)
        if name in _HIP_TOO and self.is_hip:
            return
        self.found.supplied.add(name)
        if twin.hip and twin.hip.encode() != name:
            self.found.replacements += [Replacement(at, at + len(name), twin.hip.encode()) for at in places]

    def _note(self, name: bytes, places: list[int]) -> None:
        twin = cuda.twin(name)
        assert twin is not None
        self.found.noted += len(places)
        if places:
            new = twin.hip if twin.hip and twin.hip != twin.cuda else ""
            message = f"{twin.cuda} became {new}: {twin.note}" if new else f"{twin.cuda}: {twin.note}"
            self._problem(_NOTED_RULE, name, places[0], "noted", message, "Check this and the other uses.")

    def _is_alias(self, name: bytes, at: int) -> bool:
        """Whether a name is being defined as HIP's: ``#define cudaMalloc hipMalloc``."""
        start = max(0, self.view.rfind(b"\n", 0, at))
        return bool(_ALIAS_DEFINE.search(self.view, start, at) and _HIP_BODY.match(self.view, at + len(name)))

    # --- names in no table ----------------------------------------------------------

    def _unlisted(self, name: bytes, places: list[int]) -> None:
        if name in self.project.own_names or self._is_own(name, places):
            return
        code = self.code()
        loose = [at for at in places if not self._is_scoped(code, at)]
        if pasted := [at for at in loose if _PASTE_AFTER.match(code, at + len(name))]:
            self._pasted(name, pasted)
            loose = [at for at in loose if at not in pasted]
        text = name.decode()
        self.found.unknown += len(loose)
        for at in loose:
            self._problem(
                _RULE,
                name,
                at,
                "unknown",
                f"{text} looks like CUDA, and no table lists it",
                "If it is the project's own, translate the file that declares it in the same run; "
                "else look for its twin in ROCm.",
            )

    def _is_own(self, name: bytes, places: Iterable[int]) -> bool:
        code = self.code()
        if re.search(rb"#[ \t]*define[ \t]+" + name + rb"\b", code):
            return True
        return any(is_declaration(code, at) for at in places)

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
                    self._problem(_RULE, name, at, "unknown", message, "Write the HIP names out.")

    # --- namespaces -----------------------------------------------------------------

    def _namespace(self, name: bytes, places: list[int], twin: cuda.Twin) -> None:
        code = self.code()
        for at in places:
            before = code[max(0, at - 80) : at]
            scope = _BEFORE_SCOPE.search(before)
            if not (_SCOPE.match(code, at + len(name)) or _NAMESPACE_WORD.search(before)):
                continue
            if name == b"cuda":
                self._cuda_namespace(code, at, scope[1] if scope else b"")
            elif scope is None:
                self._named_namespace(name, at, twin)

    def _cuda_namespace(self, code: bytes, at: int, outer: bytes) -> None:
        """``thrust::cuda`` has a twin; NVIDIA's own ``cuda::`` (libcu++) has none in ROCm; others' are theirs."""
        if outer in (b"thrust", b"system"):
            self.found.replacements.append(Replacement(at, at + 4, b"hip"))
            self.found.mapped += 1
        elif not outer:
            rest = re.match(rb"cuda\s*::\s*(\w+)", code[at : at + 80])
            if rest and rest[1] == b"std":
                self.found.replacements.append(Replacement(at, at + rest.start(1), b""))
                self.found.noted += 1
                if not any(problem.symbol == "cuda::std" for problem in self.found.problems):
                    message = "cuda::std became std: what is constexpr there works in device code, the rest does not"
                    where = Span(at, at + rest.end(1))
                    self.found.problems.append(Problem(_NOTED_RULE, where, "noted", message, "Check it.", "cuda::std"))
            elif rest and rest[1] in _LIBCUDACXX and b"cuda" not in self.project.own_names:
                self.found.unsupported += 1
                self._problem(
                    _RULE,
                    b"cuda",
                    at,
                    "unsupported",
                    f"cuda::{rest[1].decode()} is libcu++, which ROCm does not carry",
                    "Use HIP's atomics, std:: or libhipcxx, which AMD keeps apart from ROCm.",
                )

    def _named_namespace(self, name: bytes, at: int, twin: cuda.Twin) -> None:
        if twin.status == "unsupported":
            self.found.unsupported += 1
            self._problem(_RULE, name, at, "unsupported", f"{twin.cuda}:: has no twin in ROCm", twin.note)
            return
        if name == b"nvcuda":
            self.found.replacements.append(self._wmma(at, twin.hip.encode()))
        elif twin.hip and twin.hip != twin.cuda:
            self.found.replacements.append(Replacement(at, at + len(name), twin.hip.encode()))
        if twin.status == "noted":
            self.found.noted += 1
            self._problem(_NOTED_RULE, name, at, "noted", f"{twin.cuda} became {twin.hip}: {twin.note}", "Check it.")
        else:
            self.found.mapped += 1

    def _wmma(self, at: int, new: bytes) -> Replacement:
        """``nvcuda`` holds only ``wmma``, which is all of rocWMMA. After ``using namespace nvcuda`` code says
        ``wmma::``, so that name must go on meaning something."""
        code = self.code()
        if inner := _WMMA.match(code, at):
            return Replacement(at, inner.end(), new)
        if (before := _USING.search(code, max(0, at - 80), at)) and (after := _STATEMENT_END.match(code, at + 6)):
            return Replacement(before.start(), after.end(), b"namespace wmma = " + new + b";")
        return Replacement(at, at + len(b"nvcuda"), new)

    def _problem(self, rule: str, name: bytes, at: int, kind: str, message: str, fix: str) -> None:
        self.found.problems.append(Problem(rule, Span(at, at + len(name)), kind, message, fix, name.decode()))


# Old functions of CUDA's that HIP has too, with its own meaning.
_HIP_TOO = frozenset(b"__ballot __any __all __shfl __shfl_up __shfl_down __shfl_xor".split())
_PREFIXES = frozenset(
    b"cuda cublas cublasLt cudnn cufft curand cusparse cusolver cusolverDn cu CUDA_ CU_ CUBLAS_ CUFFT_ CURAND_ "
    b"CUSPARSE_ CUSOLVER_ CUDNN_ cublasI cublasGemm".split()
)
_LIBCUDACXX = frozenset(
    b"std atomic atomic_ref atomic_thread_fence barrier thread_scope_device thread_scope_block thread_scope_system "
    b"thread_scope pipeline memcpy_async aligned_size_t ptx semaphore latch counting_semaphore binary_semaphore device "
    b"annotated_ptr access_property stream_ref mr ceil_div pipeline_shared_state make_pipeline experimental".split()
)


def declarable(twin: cuda.Twin, places: list[int]) -> list[int]:
    """Where a name could be declared: a macro nowhere but in a ``#define``, though ``void CUDART_CB f()`` looks so."""
    return [] if twin.kind in ("macro", "keyword") else places


def looks_cuda(name: bytes) -> bool:
    """Whether a name that no table lists could still be one of NVIDIA's."""
    return bool(_LOOKS_CUDA.fullmatch(name)) and not _ORDINARY.fullmatch(name)


@lru_cache(maxsize=1)
def _noted_names() -> frozenset[bytes]:
    return frozenset(name for name, row in cuda.names().items() if b"\tnoted\t" in row)


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
