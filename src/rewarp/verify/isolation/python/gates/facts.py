"""What an expression is for an NVIDIA user, and which facts about PyTorch the proof stands on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rewarp.project.gates import NVIDIA, ROCM

ASSUMPTIONS = (
    "PyTorch is a CUDA build: torch.version.cuda is a version, torch.version.hip is None, and both exist",
    "the name torch imports PyTorch itself, which can be imported; no code outside the project changes torch.version",
    "there is no Gaudi plugin (no torch.hpu) and no Intel GPU (torch.xpu.is_available() is false)",
    "amdsmi is not installed, or sees no GPU",
    "no variable of the environment is set to rocm, hip or amd, and one that a script compares with words has one of them",
    "who asks a table of the project for a member whose name says AMD uses AMD",
    "a project's own module that can be found from the importing file is the one that gets imported",
    "line numbers, source text and docstrings that nothing in the project reads are no behaviour",
)


@dataclass(frozen=True)
class Fact:
    """An expression whose evaluation does nothing and cannot fail; and what it gives on NVIDIA, as far as known."""

    truth: bool | None
    """None: known to be harmless, not which way it comes out."""
    known: bool = False
    value: object = None
    """The very value, where `known`."""
    boolean: bool = False
    platform: bool = field(default=False, compare=False)
    """Whether the platform decides it, and not a constant that someone may set otherwise."""
    options: tuple[object, ...] = ()
    """Where it is one of several values: all of them."""
    told: bool = False
    """Whether it is a text that the environment sets."""

    @classmethod
    def of(cls, value: object, platform: bool = False) -> Fact:
        return cls(bool(value), True, value, isinstance(value, bool), platform)

    @classmethod
    def one_of(cls, values: tuple[object, ...]) -> Fact:
        truths = {bool(value) for value in values}
        only_bools = all(isinstance(value, bool) for value in values)
        return cls(truths.pop() if len(truths) == 1 else None, boolean=only_bools, platform=True, options=values)

    @classmethod
    def about(cls, path: str) -> Fact:
        """What project/gates says of a path of PyTorch's on NVIDIA. Which paths may be evaluated without doing anything, and
        where, is this proof's own knowledge: gates elsewhere are believed by their names, and here nothing is."""
        value = NVIDIA.paths[path]
        return cls.of(value.value, value.of_platform) if value.known else cls(value.truth, platform=value.of_platform)

    def by(self, *others: Fact) -> Fact:
        """The same, decided by the platform where one of these is."""
        return replace(self, platform=self.platform or any(other.platform for other in others))

    def same(self, other: Fact) -> bool:
        return self == other and type(self.value) is type(other.value)

    @property
    def when_false(self) -> object:
        """The value it has where it is false; Ellipsis where that is not known."""
        return self.value if self.known else False if self.boolean else ...

    @property
    def when_true(self) -> object:
        return self.value if self.known else True if self.boolean else ...


EITHER = Fact(None, boolean=True)
SOMETHING = Fact(None)
"""A text or None, from outside the program."""
TOLD = Fact(None, told=True)
"""A text from the environment."""
ENVIRONMENT = ("os.environ.get", "os.getenv")

TORCH_VALUES = {path: Fact.about(path) for path in ("torch.version.hip", "torch.version.cuda")}
_EXTENSION = "torch.utils.cpp_extension."
EXTENSION_VALUES = {path: Fact.about(path) for path in (_EXTENSION + "IS_HIP_EXTENSION", _EXTENSION + "ROCM_HOME")}
"""Of a submodule that `import torch` alone does not load. The first is (torch.version.hip is not None) and more, the second where
ROCm was found."""
AMDS_WORDS = ROCM.words
"""What a user of NVIDIA's sets no variable to."""
COUNTS_AMD = "len(amdsmi.amdsmi_get_processor_handles()) > 0"
"""False on NVIDIA: where the library of AMD's driver is missing, its import has failed before."""
TYPING_VALUES = {"typing.TYPE_CHECKING": Fact.about("typing.TYPE_CHECKING")}
"""False whenever a program runs."""
OPTIONAL_VALUES = {"torch.version.xpu": None, "torch.version.rocm": None}
"""None on NVIDIA, and missing in some versions: harmless only through getattr with a default."""
ASKED = {
    ("torch", "hpu"): Fact.of(False, platform=True),
    ("torch", "xpu"): EITHER,
    ("torch", "version"): Fact.of(True),
    ("torch.version", "hip"): EITHER,
    ("torch.version", "cuda"): EITHER,
    ("torch.version", "xpu"): EITHER,
    ("torch.version", "rocm"): EITHER,
}
"""`hasattr` by object and name. Others may run PyTorch's own module __getattr__, which imports."""
GUARDED_CALLS = {"torch.xpu.is_available": (("torch", "xpu"), Fact.about("torch.xpu.is_available()"))}
"""False on NVIDIA, and an error in versions without the module: harmless only behind `hasattr`."""


def both(facts: list[Fact]) -> Fact:
    """`a and b and …`, up to the first that decides."""
    return _chain(facts, stops=False).by(*facts)


def either(facts: list[Fact]) -> Fact:
    return _chain(facts, stops=True).by(*facts)


def _chain(facts: list[Fact], stops: bool) -> Fact:
    outcomes: list[object] = []
    for fact in facts:
        if fact.truth is None or fact.truth is stops:
            outcomes.append(fact.when_true if stops else fact.when_false)
        if fact.truth is stops:
            return _merged(outcomes, stops, facts)
    last = facts[-1]
    if last.truth is None:
        return Fact(None, boolean=all(fact.boolean for fact in facts))
    if not outcomes:
        return last
    return Fact(None, boolean=all(fact.boolean for fact in facts))


def _merged(outcomes: list[object], truth: bool, facts: list[Fact]) -> Fact:
    first = outcomes[0]
    if first is not ... and all(other is first for other in outcomes):
        return Fact.of(first)
    return Fact(truth, boolean=all(fact.boolean for fact in facts))
