"""Claims of a parity document, each held against the code: true, false, or not to be told.

"True" is as static as everything here: the source holds it. Nothing was run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from rewarp.parity.claims.reading import Claim, State, claims
from rewarp.parity.kernels import Inventory, Kernel
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.scoring.scores import GateVerdict, Scores, judge, percent, score
from rewarp.parity.units import Parity, Place, Side, Status, Unit


class Answer(Enum):
    TRUE = "true"
    FALSE = "false"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Checked:
    claim: Claim
    answer: Answer
    why: str
    evidence: tuple[Place, ...] = ()


_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "convolution": ("conv",),
    "pooling": ("pool",),
    "reduction": ("reduce", "argmax", "argmin"),
    "matrix": ("matmul", "gemm"),
    "multiplication": ("matmul", "gemm"),
    "indexing": ("index", "gather", "scatter"),
    "upsampling": ("upsample",),
    "ternary": ("where",),
    "casting": ("cast", "to_dtype"),
    "comparison": ("cmp",),
    "sorting": ("sort",),
    "random": ("rand",),
    "attention": ("sdpa", "attention", "flash"),
}
"""Words that people write for a family of operations, and what the operations are called in code."""
_FILLING = frozenset(
    """operation operations op ops kernel kernels support function functions method methods the a an of for and device
    management handling infrastructure type types all basic core error errors memory data""".split()
)
"""Words of a topic that name no operation."""
_OF_AN_OWNER = frozenset(
    "impl implementation implementations trait struct enum variant variants class methods the".split()
)
"""Words beside the name of a trait, a class or an enum, when all of it is meant."""
_PATH = re.compile(r"[\w.\-]+(?:/[\w.\-]+)+|[\w\-]+\.(?:rs|cu|cuh|hip|py|cpp|h|metal)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TOLERANCE = 1.0
_MOST_EVIDENCE = 5


class Code:
    """What the claims are held against."""

    def __init__(self, parity: Parity, inventories: Mapping[str, Inventory], paths: Iterable[str]) -> None:
        self.parity, self.inventories = parity, inventories
        self.scores: Scores = score(parity)
        self.paths = set(paths)
        self._by_name: dict[tuple[str, bool], list[Unit]] = {}
        self._by_owner: dict[str, list[Unit]] = {}
        for unit in parity.units:
            last = unit.name.rpartition("::")[2]
            if neutral(last):
                self._by_name.setdefault(_key(last), []).append(unit)
            self._by_owner.setdefault(unit.owner.rpartition("::")[2], []).append(unit)

    def units(self, name: str) -> list[Unit]:
        """The units that an identifier of the document means; of those, the ones that are scored, if there are."""
        owner, _, last = name.strip("()&* ").removesuffix("()").rpartition("::")
        found = self._by_name.get(_key(last)) or self._by_name.get(_key(f"{last}_impl"), [])
        if owner:
            found = [unit for unit in found if _is_same_owner(owner.rpartition("::")[2], unit.owner)]
        elif not found:
            found = self._by_owner.get(last, [])
        return [unit for unit in found if unit.scored] or found

    def family(self, topic: str) -> list[Unit]:
        """The units that a phrase such as "Pooling operations", "conv1d / conv2d" or "BackendStorage impl" means."""
        found = {unit.key: unit for part in re.split(r"[/,&+]| and ", topic) for unit in self._family(part)}
        return list(found.values())

    def _family(self, topic: str) -> list[Unit]:
        identifiers = _IDENTIFIER.findall(topic)
        owners = [word for word in identifiers if word.lower() not in _OF_AN_OWNER]
        if len(owners) == 1 < len(identifiers) and owners[0] in self._by_owner:
            return self._by_owner[owners[0]]
        wanted = [word.lower() for word in identifiers if word.lower() not in _FILLING]
        known = [_FAMILIES[word] for word in wanted if word in _FAMILIES]
        # Without a word for a family, a unit must answer to every word: two of three is something else.
        stems = known or [(word,) for word in wanted if len(word) > 2]
        if not stems or (len(stems) < len(wanted) and not known):
            return []
        match = any if known else all
        return [
            unit
            for unit in self.parity.units
            if unit.scored and match(any(_holds(unit.name, stem) for stem in group) for group in stems)
        ]


def _key(name: str) -> tuple[str, bool]:
    """A name without its back end; a type and a function may share the words, and are two things."""
    return neutral(name), name[:1].isupper()


def _is_same_owner(said: str, owner: str) -> bool:
    """`QRocmStorage` is the other side's `QCudaStorage`; `QStorage`, which calls both, is not."""
    owner = owner.rpartition("::")[2]
    return said == owner or (
        backend_of(said) is not None and backend_of(owner) is not None and _key(said) == _key(owner)
    )


def _holds(name: str, stem: str) -> bool:
    """Whether a unit's name has a stem at the beginning of one of its words."""
    return re.search(rf"(?:^|_){re.escape(stem)}", name.lower()) is not None


def check(document: str, code: Code) -> list[Checked]:
    """Each claim of a document with its answer."""
    return [_checked(claim, code) for claim in claims(document)]


def _checked(claim: Claim, code: Code) -> Checked:
    if claim.percent is not None or claim.ratio is not None:
        return _score_claim(claim, code)
    if claim.count is not None:
        return _count_claim(claim, code)
    return _state_claim(claim, code)


# --- percentages and counts -------------------------------------------------------------


def _score_claim(claim: Claim, code: Code) -> Checked:
    if claim.ratio is not None and claim.rows is not None and claim.ratio != claim.rows and claim.rows[1] > 1:
        done, rows = claim.rows
        why = f"the table before it has {rows} rows, and {done} of them say done"
        return Checked(claim, Answer.FALSE, why)
    lowest = code.scores.lowest
    if lowest is None or lowest.share is None:
        reasons = code.scores.blocked_by
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        return Checked(claim, Answer.FALSE, f"no score can be computed: {reasons[0] if reasons else 'no units'}{more}")
    said = claim.percent if claim.percent is not None else _of(claim.ratio)
    if claim.ratio is not None and claim.percent is None:
        return _ratio_claim(claim, code)
    kinds = [kind for kind in code.scores.kinds if kind.share is not None]
    named = [kind for kind in kinds if kind.kind in claim.text.lower()]
    real = ", ".join(f"{kind.kind} {percent(kind.share)}" for kind in named or kinds)
    close = [kind for kind in (named or [lowest]) if abs(float((kind.share or 0) * 100) - said) <= _TOLERANCE]
    return Checked(claim, Answer.TRUE if close else Answer.FALSE, f"the code says: {real}")


def _of(ratio: tuple[int, int] | None) -> float:
    return 100 * ratio[0] / ratio[1] if ratio else 0.0


def _ratio_claim(claim: Claim, code: Code) -> Checked:
    """`N/M ops`: a kind of M units in which N are level, if there is one."""
    assert claim.ratio is not None
    level, total = claim.ratio
    for kind in code.scores.kinds:
        if kind.counted == total:
            real = kind.columns["level"]
            answer = Answer.TRUE if real == level else Answer.FALSE
            return Checked(claim, answer, f"{real} of {total} are level ({kind.kind})")
    counts = ", ".join(f"{kind.kind} {kind.columns['level']}/{kind.counted}" for kind in code.scores.kinds)
    return Checked(claim, Answer.CANNOT_TELL, f"nothing here counts {total}: {counts}")


def _count_claim(claim: Claim, code: Code) -> Checked:
    backend = claim.backend or code.parity.b
    if claim.counted in ("kernels", "symbols"):
        inventory = code.inventories.get(backend)
        if inventory is None:
            return Checked(claim, Answer.CANNOT_TELL, f"kernels of {backend} were not counted")
        return _kernel_count(claim, inventory)
    side = "a" if backend == code.parity.a else "b"
    units = [unit for unit in code.parity.units if unit.scored and unit.kind != "kernel"]
    doing = sum(_side(unit, side).status.does_something for unit in units)
    if claim.count is not None and claim.count > len(units):
        return Checked(claim, Answer.FALSE, f"only {len(units)} were found, and {backend} does {doing} of them")
    return Checked(claim, Answer.CANNOT_TELL, f"{backend} does {doing} of {len(units)}; which are meant is not said")


def _kernel_count(claim: Claim, inventory: Inventory) -> Checked:
    assert claim.count is not None
    kernels = inventory.kernels.values()
    ways = {
        "kernels after preprocessing": len(inventory.kernels),
        "symbols": sum(kernel.is_symbol for kernel in kernels),
        "lines that define them": len({(kernel.path, kernel.line) for kernel in kernels}),
        "files": len({kernel.path for kernel in kernels}),
    }
    real = ", ".join(f"{count} {what}" for what, count in ways.items())
    if claim.count in ways.values():
        return Checked(claim, Answer.TRUE, f"{inventory.backend} has {real}")
    if claim.count > len(inventory.kernels) and not inventory.opaque:
        return Checked(claim, Answer.FALSE, f"{inventory.backend} has only {real}")
    return Checked(claim, Answer.CANNOT_TELL, f"{inventory.backend} has {real}; what was counted is not said")


# --- states -----------------------------------------------------------------------------


def _state_claim(claim: Claim, code: Code) -> Checked:
    backend = claim.backend or code.parity.b
    if backend not in (code.parity.a, code.parity.b):
        return Checked(claim, Answer.CANNOT_TELL, f"it is about {backend}, which was not compared")
    side = "a" if backend == code.parity.a else "b"
    by_name = {name: code.units(name) for name in claim.names}
    units = {unit.key: unit for found in by_name.values() for unit in found}
    if not units and not claim.names and not _PATH.fullmatch(claim.topic):
        family = (code.units(claim.topic) if claim.topic.isidentifier() else []) or code.family(claim.topic)
        # What neither does is no gap of a family; named by itself, it is.
        counted = [unit for unit in family if judge(unit).verdict is not GateVerdict.NEITHER]
        units = {unit.key: unit for unit in counted or family}
    if units:
        unmatched = [name for name, found in by_name.items() if not found]
        return _about_units(claim, list(units.values()), side, code, unmatched)
    return _about_kernels(claim, code, backend) or _about_paths(claim, code)


def _side(unit: Unit, side: str) -> Side:
    return unit.a if side == "a" else unit.b


def _about_units(claim: Claim, units: list[Unit], side: str, code: Code, unmatched: list[str]) -> Checked:
    states = [_states(unit, side, claim.dtype) for unit in units]
    evidence = tuple(place for unit in units for place in _side(unit, side).evidence[-1:])[:_MOST_EVIDENCE]
    why = _why(units, side, claim.dtype)
    known = [state for state in states if state]
    if not known:
        return Checked(claim, Answer.CANNOT_TELL, why, evidence)
    if claim.state is State.PARTIAL:
        either = frozenset().union(*known)
        holds = State.PARTIAL in either or {State.DONE, State.MISSING} <= either
    else:
        holds = all(claim.state in state for state in known)
    if not holds and claim.state is State.PARTIAL and all(state == {State.DONE} for state in known):
        # The source holds a way; whether it is whole, only a run would show.
        return Checked(claim, Answer.CANNOT_TELL, f"{why}; nothing shows that a part is left out", evidence)
    if not holds:
        return Checked(claim, Answer.FALSE, why, evidence)
    doubt = _doubt(claim, units, side, code)
    if len(known) < len(states):
        doubt = "not all of them could be told"
    elif unmatched:
        doubt = f"{_few(unmatched)} names nothing that the comparison found"
    if doubt:
        return Checked(claim, Answer.CANNOT_TELL, f"{why}; but {doubt}", evidence)
    return Checked(claim, Answer.TRUE, why, evidence)


def _doubt(claim: Claim, units: list[Unit], side: str, code: Code) -> str:
    """Why what was seen is not enough for "true": something in scope could not be read."""
    if not code.scores.blocked_by:
        return ""
    if claim.state is not State.MISSING:
        return code.scores.blocked_by[0]
    hidden = next((problem for problem in code.parity.problems if problem.blocks_score and problem.line), None)
    if hidden is not None and any(_side(unit, side).status is Status.MISSING for unit in units):
        return f"{hidden.path}:{hidden.line}: {hidden.what}"
    return ""


def _states(unit: Unit, side: str, dtype: str) -> frozenset[State]:
    """What of the document's words the code bears out; nothing where that is not known."""
    own = _side(unit, side)
    status = own.status
    if dtype:
        if dtype not in own.dtypes:
            return frozenset() if not own.dtypes or status is Status.UNKNOWN else frozenset({State.MISSING})
        status = own.dtypes[dtype]
    if status is Status.UNKNOWN:
        return frozenset()
    if not status.does_something:
        return frozenset({State.MISSING})
    if status is Status.IMPLEMENTED and not own.missing_kernels:
        return frozenset({State.DONE})
    # A is the measure, so what it does in part is done; B has done it where it is level with that.
    is_level = not dtype and (side == "a" or judge(unit).verdict is GateVerdict.LEVEL)
    return frozenset({State.PARTIAL, State.DONE} if is_level else {State.PARTIAL})


def _why(units: list[Unit], side: str, dtype: str) -> str:
    if len(units) == 1:
        own = _side(units[0], side)
        what = f"{units[0].owner}::{units[0].name}" if units[0].owner else units[0].name
        if dtype:
            return (
                f"{what} for {dtype}: {own.dtypes[dtype].value if dtype in own.dtypes else 'not among its data types'}"
            )
        return f"{what}: {own.status.value}" + (f", {own.why}" if own.why else "")
    counted: dict[str, list[str]] = {}
    for unit in units:
        counted.setdefault(_side(unit, side).status.value, []).append(unit.name)
    parts = [f"{len(names)} {status} ({_few(names)})" for status, names in counted.items()]
    return f"of {len(units)}: " + ", ".join(parts)


def _few(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    return ", ".join(unique[:3]) + (" …" if len(unique) > 3 else "")


def _about_kernels(claim: Claim, code: Code, backend: str) -> Checked | None:
    """A claim about kernels by their names, or a pattern of names."""
    inventory = code.inventories.get(backend)
    if inventory is None or not claim.names or claim.state is State.PARTIAL:
        return None
    other = code.inventories.get(code.parity.a if backend == code.parity.b else code.parity.b)
    patterns = [name for name in claim.names if re.fullmatch(r"[\w{}*,]+", name)]
    found = {name: _kernels(inventory, name) for name in patterns}
    theirs = {name for name in patterns if other is not None and _kernels(other, name)}
    relevant = [name for name in patterns if found[name] or name in theirs]
    if not relevant:
        return None
    missing = [name for name in relevant if not found[name]]
    unknown = [name for name in missing if inventory.is_unknown(name)]
    evidence = tuple(kernel.place for name in relevant for kernel in found[name][:1])[:_MOST_EVIDENCE]
    why = f"kernels of {backend}: {len(relevant) - len(missing)} of {len(relevant)} names exist"
    if unknown:
        return Checked(claim, Answer.CANNOT_TELL, f"{why}; {_few(unknown)} may come from what cannot be seen", evidence)
    holds = not missing if claim.state is State.DONE else len(missing) == len(relevant)
    return Checked(claim, Answer.TRUE if holds else Answer.FALSE, why, evidence)


def _kernels(inventory: Inventory, name: str) -> list[Kernel]:
    """The kernels that a name or a pattern means."""
    return [inventory.kernels[name]] if inventory.has(name) else inventory.matching(name)


def _about_paths(claim: Claim, code: Code) -> Checked:
    """The last resort: a file that is said to be done must at least be there."""
    named = [name for name in claim.names or (claim.topic,) if _PATH.fullmatch(name)]
    absent = [name for name in named if not any(("/" + path).endswith("/" + name) for path in code.paths)]
    if absent and claim.state is State.DONE:
        return Checked(claim, Answer.FALSE, f"there is no file {_few(absent)}")
    if named:
        return Checked(
            claim, Answer.CANNOT_TELL, "whether what the file should hold is in it is not for a parity check"
        )
    said = ", ".join(claim.names) or claim.topic
    return Checked(claim, Answer.CANNOT_TELL, f"{said!r} names nothing that the comparison found")
