"""What an expression is for an NVIDIA user, and which facts about PyTorch the proof stands on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

ASSUMPTIONS = (
    "PyTorch is a CUDA build: torch.version.cuda is a version, torch.version.hip is None, and both exist",
    "the name torch imports PyTorch itself, which can be imported; no code outside the project changes torch.version",
    "there is no Gaudi plugin (no torch.hpu) and no Intel GPU (torch.xpu.is_available() is false)",
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

    @classmethod
    def of(cls, value: object, platform: bool = False) -> Fact:
        return cls(bool(value), True, value, isinstance(value, bool), platform)

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


SOME_TEXT = Fact(True, platform=True)
EITHER = Fact(None, boolean=True)
SOMETHING = Fact(None)
"""A text or None, from outside the program."""
ENVIRONMENT = ("os.environ.get", "os.getenv")

TORCH_VALUES = {
    "torch.version.hip": Fact.of(None, platform=True),
    "torch.version.cuda": SOME_TEXT,
}
EXTENSION_VALUES = {"torch.utils.cpp_extension.IS_HIP_EXTENSION": Fact.of(False, platform=True)}
"""Of a submodule that `import torch` alone does not load. It is (torch.version.hip is not None) and more."""
TYPING_VALUES = {"typing.TYPE_CHECKING": Fact.of(False, platform=True)}
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
GUARDED_CALLS = {"torch.xpu.is_available": (("torch", "xpu"), Fact.of(False, platform=True))}
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
