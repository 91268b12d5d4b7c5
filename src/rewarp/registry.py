"""Rules: how one is declared, and how all of them are found.

A rule is a function ``match(document, context) -> Iterator[Hit]`` under ``rewarp.rules``
with the ``@rule(...)`` decorator. There is no list of rules to keep: every module below
``rewarp.rules`` is imported, and whatever it declares is a rule. So are the modules that other packages name as entry
points of the group ``rewarp.rules``.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from rewarp import plugins
from rewarp.edits import Edit, Safety
from rewarp.errors import RegistryError
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import FileFix, Fix
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.source import Span, words_of
from rewarp.targets.base import Context

_ID = re.compile(r"[A-Z][A-Z0-9]{1,3}(-[A-Z]{2,4})?-\d{3}")
_WORD = re.compile(rb"\w+")


class Anchor(NamedTuple):
    """Words, and a text, all of which must occur in a file for a rule to be tried."""

    words: tuple[bytes, ...]
    text: bytes = b""

    @classmethod
    def of(cls, written: str) -> Anchor:
        before, _, text = written.encode().partition(b"~")
        words = before.split()
        if not text and len(words) == 1 and words[0].strip(b"*") != words[0]:
            return cls((), words[0].strip(b"*"))
        return cls(tuple(words), text)

    @property
    def sound(self) -> bool:
        return bool(self.words or self.text) and all(map(_WORD.fullmatch, self.words))


@dataclass(frozen=True)
class When:
    """The versions for which an impact is real.

    ``all_of`` ranges must all hold, or with ``any_of`` one of them must. Outside the range
    the finding becomes ``otherwise`` (None: no finding). With versions unknown it informs.
    """

    torch: str | None = None
    rocm: str | None = None
    arch: tuple[str, ...] = ()
    """Architectures by the beginning of their name, besides the versions: ``("gfx94",)``."""
    any_of: bool = False
    otherwise: Severity | None = None

    def holds(self, context: Context) -> bool | None:
        versions = self._versions_hold(context)
        if not self.arch or versions is False:
            return versions
        if context.versions.arch is None:
            return None
        return versions if context.versions.arch.startswith(self.arch) else False

    def _versions_hold(self, context: Context) -> bool | None:
        if not self.any_of:
            return context.versions.matches(torch=self.torch, rocm=self.rocm)
        answers = [
            context.versions.matches(torch=self.torch) if self.torch else False,
            context.versions.matches(rocm=self.rocm) if self.rocm else False,
        ]
        if True in answers:
            return True
        return None if None in answers else False

    def __str__(self) -> str:
        parts = [f"{name} {spec}" for name, spec in (("torch", self.torch), ("ROCm", self.rocm)) if spec]
        text = (" or " if self.any_of else " and ").join(parts)
        architectures = " or ".join(name + "x" for name in self.arch)
        return f"{text} on {architectures}" if text and architectures else text or architectures


@dataclass(frozen=True)
class Impact:
    """What a construct means on one target, and what to do about it."""

    severity: Severity
    why: str
    fix: str = ""
    safety: Safety = Safety.NONE
    effort: Effort = Effort.NONE
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A match, before it becomes a finding. ``where`` is a node of the document or a span in its view."""

    where: Any
    message: str
    """One sentence about this very place; the rule's ``why`` follows it in reports."""
    symbol: str = ""
    severity: Severity | None = None
    """Overrides the rule's severity, for example for an import that already has a fallback."""
    fix: str | None = None
    effort: Effort | None = None
    """Overrides the rule's effort, where one rule covers easy and hard cases."""
    safety: Safety | None = None


Matcher = Callable[[Any, Context], Iterable[Hit]]
Editor = Callable[[Any, Hit, Context], Iterable[Edit]]
"""From a hit to the edits that mend it, with spans in the file as it is on disk. The matcher never edits."""


class Trait(Enum):
    """What a finding of a rule means besides its severity."""

    TORCH_EXTENSION = "torch's own build compiles sources here, and translates them for ROCm"
    RUN_TIME_EXTENSION = "torch compiles sources when the program runs, and translates them for ROCm"
    BY_HAND = "no edit of the file can do it"
    BUILDS_FOR_CUDA = "a step that builds for CUDA: an image for AMD needs another one, which nobody can guess"
    TORCH_TRANSLATES = "a name that torch's build for ROCm translates where it has a twin"
    INLINE_PTX = "assembly for NVIDIA's GPUs"
    REWRITE = "code that AMD's GPUs may need written anew"
    GONE_FROM_TORCH = "torch's C++ interface had it once"
    TELLS_NVIDIAS_APART = "a test that tells NVIDIA's GPUs apart: who runs on the target already has decided it"
    MET_IN_USE = "a result that depends on a warp's size: who runs on the target already has met it"
    MAKES_DEVICE_STRING = "a device is named here, which others may test"
    TESTS_FOR_CUDA = "a device is tested for being CUDA's by its name"
    AFTER_FAILURE = "it only matters once something else has failed"
    HINT = "what comes of it no reading tells: it informs, and a port mends it all the same"
    NOTHING_INSTEAD = "a library that the target has no other for: a port that no longer imports it leaves a part out"
    GIVES_A_NAME = "a name gets a value here, which matters where something uses it"
    WHERE_COMPUTED = "it matters where something computes with the value, and not where it is only stored"
    INSTALL = "a matter of installing, which no change of the project has to do with"
    AT_LAUNCH = "the build goes through; where it is not a build's error, only a kernel that is launched so fails"
    ANOTHER_QUESTION = "whatever the verdict, another command has more to say about it"


@dataclass(frozen=True)
class Rule:
    """A rule and everything that can be said about it."""

    id: str
    title: str
    kinds: frozenset[Kind]
    anchors: frozenset[Anchor]
    phase: Phase
    impacts: Mapping[str, Impact]
    example: str
    versions: str
    source: str
    match: Matcher
    what: str
    family: str
    even_if_gated: bool = False
    safety_note: str = field(default="")
    python_anchors: frozenset[Anchor] = frozenset()
    edit: Editor | None = None
    fixes: Mapping[str, tuple[Fix, ...]] = field(default_factory=dict)
    """By target, what ``rewarp port`` does about what the rule finds."""
    traits: frozenset[Trait] = frozenset()
    plugin: str = ""
    """The package that the rule comes from, with its version; empty for rewarp's own."""

    def is_fixed(self, target: str) -> bool:
        """Whether ``rewarp port`` changes something about what the rule finds, rather than only telling more of it."""
        return any(fix.says for fix in self.fixes.get(target, ()))

    def anchors_in(self, kind: Kind) -> frozenset[Anchor]:
        """The anchors one of which a file of this kind must hold for the rule to be tried."""
        return self.python_anchors if kind is Kind.PYTHON and self.python_anchors else self.anchors


def rule(
    *,
    id: str,
    title: str,
    kinds: Kind | Iterable[Kind],
    anchors: Iterable[str],
    phase: Phase,
    rocm: Impact | None = None,
    gaudi: Impact | None = None,
    example: str,
    versions: str = "all",
    source: str,
    even_if_gated: bool = False,
    safety_note: str = "",
    python_anchors: Iterable[str] = (),
    edit: Editor | None = None,
    fix: Fix | tuple[Fix, ...] = (),
    gaudi_fix: Fix | tuple[Fix, ...] = (),
    traits: Iterable[Trait] = (),
) -> Callable[[Matcher], Rule]:
    """Declare a rule.

    ``anchors`` are words (``[A-Za-z0-9_]+``, case as written) one of which must occur in a
    file for the rule to be tried at all: the prefilter that keeps a scan fast. Several words
    in one anchor (``"version cuda"``) must all occur; what follows a ``~`` is a text that must
    (``"CUDA memory ~CUDA out of memory"``); words make a text cheaper to rule out.
    ``"CUDA_*"`` and ``"*_cuda"`` are short for a text.
    ``python_anchors`` replace them in Python files, for a rule whose words are rare in a
    requirements file and everywhere in Python (``torch``).
    ``fix`` is what ``rewarp port`` does about a finding for ROCm, ``gaudi_fix`` for Gaudi; a rule whose findings stand in
    files of several kinds has several.
    """

    def declare(match: Matcher) -> Rule:
        impacts = {name: impact for name, impact in (("rocm", rocm), ("gaudi", gaudi)) if impact}
        words = frozenset(map(Anchor.of, anchors))
        python_words = frozenset(map(Anchor.of, python_anchors))
        if not _ID.fullmatch(id):
            raise RegistryError(f"rule id {id!r} is not of the form PY-VER-001")
        if not words or not all(anchor.sound for anchor in words | python_words):
            raise RegistryError(f"{id}: anchors must be words, and there must be one")
        fixes = {
            name: (given,) if isinstance(given, Fix) else given for name, given in (("rocm", fix), ("gaudi", gaudi_fix))
        }
        if not impacts:
            raise RegistryError(f"{id}: matters on no target")
        if any(given and name not in impacts for name, given in fixes.items()):
            raise RegistryError(f"{id}: has a fix for a target on which it does not matter")
        if not (match.__doc__ or "").strip():
            raise RegistryError(f"{id}: the match function's docstring must say what it looks for")
        return Rule(
            id=id,
            title=title,
            kinds=frozenset([kinds] if isinstance(kinds, Kind) else kinds),
            anchors=words,
            phase=phase,
            impacts=impacts,
            example=example.strip("\n"),
            versions=versions,
            source=source,
            match=match,
            what=" ".join((match.__doc__ or "").split()),
            family=match.__module__.removeprefix("rewarp.rules.").split(".")[0],
            even_if_gated=even_if_gated,
            safety_note=safety_note,
            python_anchors=python_words,
            edit=edit,
            fixes={name: given for name, given in fixes.items() if given},
            traits=frozenset(traits),
        )

    return declare


_SHARED = "rewarp.rules.shapes"
"""What rules share; no rule stands there."""


def _modules(package_name: str) -> Iterator[str]:
    package = importlib.import_module(package_name)
    for info in pkgutil.iter_modules(package.__path__, package_name + "."):
        if info.name == _SHARED:
            continue
        if info.ispkg:
            yield from _modules(info.name)
        elif not info.name.rpartition(".")[2].startswith("_"):
            yield info.name


@lru_cache(maxsize=1)
def all_rules() -> dict[str, Rule]:
    """Every rule, by id, in id order."""
    found: dict[str, Rule] = {}
    for name in _modules("rewarp.rules"):
        declared = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, Rule)]
        if len(declared) != 1:
            raise RegistryError(f"{name} declares {len(declared)} rules; a rule file declares one")
        for item in declared:
            if item.id in found:
                raise RegistryError(f"rule {item.id} is declared twice, the second time in {name}")
            found[item.id] = item
    for plugin in plugins.installed(plugins.RULES):
        for item in _rules_of(plugin):
            if item.id in found:
                raise plugin.broken(f"declares {item.id}, which is {found[item.id].plugin or 'a rule of rewarp'}'s")
            found[item.id] = item
    return dict(sorted(found.items()))


def _rules_of(plugin: plugins.Plugin) -> list[Rule]:
    """The rules that another package declares."""
    found = {
        value.id: replace(value, plugin=str(plugin))
        for module in plugin.modules()
        for value in vars(module).values()
        if isinstance(value, Rule)
    }
    if not found:
        raise plugin.broken("declares no rule")
    return list(found.values())


@dataclass(frozen=True)
class RuleIndex:
    """The rules that apply to one target and kind, reachable from the words a file holds."""

    words: frozenset[bytes]
    by_word: Mapping[bytes, tuple[tuple[Anchor, Rule], ...]]
    """Anchors with a word, under one of their words."""
    by_text: tuple[tuple[bytes, tuple[tuple[Anchor, Rule], ...]], ...]
    """Anchors that are only a text, under its beginning: those that begin alike are ruled out by one look."""

    @classmethod
    def of(cls, rules: Iterable[tuple[Rule, Iterable[Anchor]]]) -> RuleIndex:
        by_word: dict[bytes, list[tuple[Anchor, Rule]]] = {}
        by_text: dict[bytes, list[tuple[Anchor, Rule]]] = {}
        every = [(anchor, item) for item, anchors in rules for anchor in sorted(anchors)]
        words = Counter(word for anchor, _ in every for word in anchor.words)
        for anchor, item in every:
            if anchor.words:
                # Under the word that the fewest anchors share: `cuda` is in most files, `utilization` is not.
                rarest = min(anchor.words, key=lambda word: (words[word], word))
                by_word.setdefault(rarest, []).append((anchor, item))
            else:
                by_text.setdefault(anchor.text[:5], []).append((anchor, item))
        return cls(
            frozenset(words),
            {word: tuple(pairs) for word, pairs in by_word.items()},
            tuple((start, tuple(pairs)) for start, pairs in by_text.items()),
        )

    def candidates(self, data: bytes) -> list[Rule]:
        """The rules that could match a file with this content, in id order."""
        found = self.words.intersection(words_of(data))
        pairs = [pair for word in found for pair in self.by_word.get(word, ())]
        pairs += [pair for start, several in self.by_text if start in data for pair in several]
        picked: dict[str, Rule] = {}
        for (words, text), item in pairs:
            if item.id not in picked and found.issuperset(words) and (not text or text in data):
                picked[item.id] = item
        return [picked[key] for key in sorted(picked)]


@lru_cache(maxsize=64)
def rules_for(target: str, kind: Kind) -> RuleIndex:
    return RuleIndex.of(
        (item, item.anchors_in(kind)) for item in all_rules().values() if target in item.impacts and kind in item.kinds
    )


def fixed_in(target: str, kind: Kind) -> tuple[str, ...]:
    """The rules whose findings in files of a kind are answered by a change of the whole file."""
    return tuple(rule_id for rule_id, fix in fixes_for(target, FileFix) if fix.kind is kind)


def is_about(rule_id: str, *traits: Trait) -> bool:
    """Whether a rule has one of these traits."""
    return not all_rules()[rule_id].traits.isdisjoint(traits)


SomeFix = TypeVar("SomeFix", bound=Fix)


def fixes_for(target: str, kind: type[SomeFix]) -> list[tuple[str, SomeFix]]:
    """The fixes of one kind, each with the id of the rule that it stands beside."""
    return [
        (item.id, fix) for item in all_rules().values() for fix in item.fixes.get(target, ()) if isinstance(fix, kind)
    ]


__all__ = [
    "Document",
    "Hit",
    "Impact",
    "Rule",
    "RuleIndex",
    "Span",
    "Trait",
    "When",
    "all_rules",
    "fixed_in",
    "fixes_for",
    "is_about",
    "rule",
    "rules_for",
]
