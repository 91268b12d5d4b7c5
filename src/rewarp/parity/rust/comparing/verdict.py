"""One back end's side of one unit, from what following its definitions found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rewarp.lang.rust_tree import base_type
from rewarp.parity.names.backends import backend_of
from rewarp.parity.rust.following.follower import Follower
from rewarp.parity.rust.following.paths import (
    CUT,
    NO_KERNEL,
    UNSEEN,
    WORKED,
    Ask,
    Exit,
    Run,
    is_cpu,
    merged,
    only,
    reach,
)
from rewarp.parity.rust.following.values import ANYTHING, HOLE, Value
from rewarp.parity.rust.reading.facts import Function
from rewarp.parity.rust.reading.index import Index
from rewarp.parity.rust.reading.tree import Anything, Block, Call, Expression, Let, MacroCall, Other, Path, Tuple
from rewarp.parity.units import Edges, Place, Side, Status

_LOGS = ("print", "log", "warn", "info", "debug", "trace", "eprint", "error")
_MOST_AXES = 3
_MOST_PLACES = 8
_UNTOLD = "something on the way could not be seen through"


@dataclass
class Account:
    """What following the definitions of one method found, data type by data type of each parameter that decides."""

    functions: tuple[Function, ...]
    runs: dict[int, Run] = field(default_factory=dict)
    """By the place of the parameter; -1 is `self`."""
    whole: Run = field(default_factory=lambda: Run({}))
    is_empty: bool = False
    fails_under: tuple[str, ...] = ()
    """Conditions under which the method always ends in an error, while it does not under others."""

    @property
    def place(self) -> Place:
        first = self.functions[0]
        return Place(first.path, first.line, f"fn {first.name}")


def account(follower: Follower, functions: Sequence[Function], shared: frozenset[str]) -> Account:
    """Follow a method of a back end; `cfg` may define it more than once."""
    first = functions[0]
    follower.unit, follower.shared = first.name, shared
    found = Account(tuple(functions))
    found.whole = _all(follower, functions, "")
    deciding = sorted(_axis(name) for name in found.whole.looked_at)
    if backend_of(first.owner) is None or not _holds(follower.index, first, -1):
        # What an operation carries along is not what it works on, and a device has no data type.
        deciding = [axis for axis in deciding if axis >= 0] or deciding
    for axis in deciding[:_MOST_AXES]:
        run = _all(follower, functions, f"#{axis}")
        held = _holds(follower.index, first, axis) or follower.index.dtypes.every
        found.runs[axis] = _representable(run, held, follower.index.dtypes.every & ~held, found.place)
    found.is_empty = all(_does_nothing(follower.index.body(f)) for f in functions) and _returns_nothing(first)
    dead = [f for f in functions if not reach(_run(follower, f, "").live)]
    if len(dead) < len(functions):
        found.fails_under = tuple(" and ".join(f.cfg) for f in dead)
    return found


def _holds(index: Index, function: Function, axis: int) -> int:
    """The data types that a parameter can have at all: those that its storage has a variant for; none if it is none."""
    written = function.owner if axis < 0 else base_type(function.parameters[axis].type)
    name = function.owner if written == "Self" else index.alias(written, function.path)
    found = 0
    for kind in index.types.get(name, ()):
        if index.is_dummy(kind) or kind.is_enum:
            continue
        for member in kind.members:
            for enum in index.types.get(index.alias(base_type(member.type), kind.path), ()):
                if enum.name in index.dtypes.enums:
                    found |= sum({index.dtypes.of(variant.name) for variant in enum.members})
    return found


def _representable(run: Run, dtypes: int, lost: int, place: Place) -> Run:
    """A run without the data types that cannot come to it."""
    if not lost:
        return run
    absent = Exit(lost, (replace(place, text="its storage has no variant for it"),), is_impossible=True)
    kept = tuple(replace(e, dtypes=e.dtypes & dtypes) for e in run.exits if e.dtypes & dtypes)
    return replace(run, live=only(run.live, dtypes), exits=(*kept, absent))


def _axis(name: str) -> int:
    return int(name.removeprefix("#"))


def _run(follower: Follower, function: Function, axis: str) -> Run:
    receiver = Value(type=function.owner, subject="#-1")
    arguments = tuple(Value(subject=f"#{place}") for place in range(function.arity))
    run = follower.run(function, receiver, arguments, axis)
    return replace(run, live={done: dtypes for done, dtypes in run.live.items() if not done & CUT})


def _all(follower: Follower, functions: Sequence[Function], axis: str) -> Run:
    runs = [_run(follower, function, axis) for function in functions]
    if len(runs) == 1:
        return runs[0]
    told = 0
    for run in runs:
        told |= run.told
    return Run(
        merged(run.live for run in runs),
        tuple(exit_ for run in runs for exit_ in run.exits),
        tuple(gap for run in runs for gap in run.gaps),
        tuple(ask for run in runs for ask in run.asks),
        tuple(place for run in runs for place in run.unseen),
        told,
        frozenset(name for run in runs for name in run.looked_at),
        frozenset(pair for run in runs for pair in run.tied),
        frozenset.intersection(*(run.equal for run in runs)),
        tuple(chain for run in runs for chain in run.fetches),
        says_todo=any(run.says_todo for run in runs),
        edges=frozenset(edge for run in runs for edge in run.edges),
    )


def _does_nothing(body: Expression) -> bool:
    """`{}`, `Ok(())`, or nothing but words for a log."""
    if not isinstance(body, Block):
        return body == Other()
    return all(map(_says_nothing, body.items)) and (
        body.tail is None
        or (isinstance(body.tail, Call) and body.tail.path == "Ok" and body.tail.arguments in _NOTHING)
        or (isinstance(body.tail, Block) and _does_nothing(body.tail))
    )


_NOTHING = ((Tuple(()),), (Other(),))


def _says_nothing(node: Expression) -> bool:
    """Words for a log, or `let _ = (a, b);`, which only says that they are not used."""
    if isinstance(node, Let):
        values = node.value.items if isinstance(node.value, Tuple) else (node.value,)
        return node.pattern == Anything() and all(isinstance(value, Path) for value in values)
    return isinstance(node, MacroCall) and node.name.rpartition("::")[2].startswith(_LOGS)


def _returns_nothing(function: Function) -> bool:
    return function.returns.replace(" ", "") in ("", "()", "Result<()>") or function.returns.replace(" ", "").endswith(
        "Result<()>"
    )


def of_dtype(run: Run, bit: int) -> Status:
    """What a method does for one data type, or for any of a set."""
    ways = [done for done, mask in run.live.items() if mask & bit]
    exits = [found for found in run.exits if found.dtypes & bit]
    if not ways:
        return _ended(exits)
    with_kernel = [done for done in ways if not done & NO_KERNEL]
    if not with_kernel:
        return Status.ERROR
    seen = [done for done in with_kernel if not done & UNSEEN]
    if not seen:
        return Status.UNKNOWN
    on_cpu = [done for done in seen if is_cpu(done)]
    if len(on_cpu) == len(seen):
        return Status.CPU_ONLY
    if len(with_kernel) < len(ways) or any(found.is_for_type for found in exits):
        return Status.PARTIAL
    return Status.CONDITIONAL_CPU if on_cpu else Status.IMPLEMENTED


def _ended(exits: Iterable[Exit]) -> Status:
    found = list(exits)
    if found and all(exit_.is_impossible for exit_ in found):
        return Status.MISSING
    real = [exit_ for exit_ in found if not exit_.is_impossible and not exit_.is_for_type]
    return Status.STUB if real and all(exit_.is_todo for exit_ in real) else Status.ERROR


def sides(index: Index, a: Account | Side, b: Account | Side) -> tuple[Side, Side]:
    """Both sides with the same data types, so that they can be compared."""
    accounts = [item for item in (a, b) if isinstance(item, Account)]
    columns = _columns(index, accounts) if any(_works(item) for item in accounts) else []
    rows = [_statuses(item, columns) if isinstance(item, Account) else {} for item in (a, b)]
    statuses = [(name, status) for row in rows for name, status in row.items()]
    # What neither does on the device is of interest only where that is all there is.
    done = {name for name, status in statuses if status.does_something}
    done = done or {name for name, status in statuses if status is Status.CPU_ONLY}
    found = []
    for item, row in zip((a, b), rows):
        kept = {name: status for name, status in row.items() if name in done}
        found.append(_side(index, item, kept, columns) if isinstance(item, Account) else item)
    return found[0], found[1]


def _works(item: Account) -> bool:
    """Whether a method does anything that may fail: one that only looks at its storage has no data types to support."""
    if "Result" not in item.functions[0].returns:
        return False
    return any(done & WORKED for done in item.whole.live) or not reach(item.whole.live)


Column = tuple[str, int, int]
"""The name of a data type as it is shown, the parameter it is the type of, and its bit."""


def _columns(index: Index, accounts: Sequence[Account]) -> list[Column]:
    """The data types that decide anything on either side; those of the parameter with most of them come plain."""
    told: dict[int, int] = {}
    for item in accounts:
        for axis, run in item.runs.items():
            told[axis] = told.get(axis, 0) | run.told
    told = {axis: mask for axis, mask in told.items() if mask}
    if not told:
        return []
    first = accounts[0]
    done = {axis: (first.runs.get(axis, first.whole)) for axis in told}
    main = max(told, key=lambda axis: (_count(reach(done[axis].live) & done[axis].told), -axis))
    tied = {pair for item in accounts for pair in item.whole.tied}
    columns: list[Column] = [(name, main, index.dtypes.bit(name)) for name in index.dtypes.names(told[main])]
    kept = [main]
    for axis in sorted(set(told) - {main}):
        if any(frozenset((f"#{axis}", f"#{other}")) in tied for other in kept):
            # Where both must be of one type, the second tells nothing new.
            continue
        kept.append(axis)
        parameter = _parameter(accounts, axis)
        # What A does not take here either is of no interest.
        names = index.dtypes.names(told[axis] & reach(done[axis].live))
        columns += [(f"{parameter}: {name}", axis, index.dtypes.bit(name)) for name in names]
    return columns


def _parameter(accounts: Sequence[Account], axis: int) -> str:
    if axis < 0:
        return "self"
    names = [f.parameters[axis].name for item in accounts for f in item.functions if axis < f.arity]
    return next((name.strip("_") for name in names if name.strip("_")), f"argument {axis + 1}")


def _count(mask: int) -> int:
    return bin(mask).count("1")


def _statuses(item: Account, columns: Sequence[Column]) -> dict[str, Status]:
    if item.is_empty:
        return {}
    return {name: _of_cell(item, axis, bit) for name, axis, bit in columns}


def _of_cell(item: Account, axis: int, bit: int) -> Status:
    """What is done for one data type of a parameter; of others that must have the same, the least counts."""
    equal = {_axis(name) for pair in item.whole.equal if f"#{axis}" in pair for name in pair}
    runs = [item.runs[other] for other in sorted({axis, *equal}) if other in item.runs] or [item.whole]
    found = [of_dtype(run, bit) for run in runs]
    return next((status for status in found if not status.does_something), max(found, key=list(Status).index))


def _side(index: Index, item: Account, row: dict[str, Status], columns: Sequence[Column]) -> Side:
    kept = [column for column in columns if column[0] in row]
    asked, missing = _kernels(item, kept)
    status, why, chain = _judged(index, item, row, missing)
    lacking = [column for column in kept if row[column[0]] not in (Status.IMPLEMENTED, Status.CPU_ONLY)]
    if status is Status.PARTIAL and lacking:
        chain = _shows(item, lacking) or chain
    if missing and status is Status.IMPLEMENTED:
        status, why = Status.PARTIAL, f"asks for kernels that exist nowhere: {_listed(missing)}"
    edges = dict.fromkeys(("resolved", "guessed", "external"), 0)
    for kind, _, _ in item.whole.edges:
        edges[kind] += 1
    evidence = tuple(dict.fromkeys((item.place, *chain)))[:_MOST_PLACES]
    return Side(status, why, evidence, row, tuple(asked), tuple(missing), Edges(**edges))


def _judged(
    index: Index, item: Account, row: dict[str, Status], missing: Sequence[str]
) -> tuple[Status, str, tuple[Place, ...]]:
    """The status of a whole method, in words, and the chain that shows it."""
    run = item.whole
    if any(function.is_broken for function in item.functions):
        return Status.UNKNOWN, "its source does not parse", ()
    if item.is_empty:
        return (Status.STUB, "does nothing, beside a TODO", ()) if run.says_todo else (Status.NO_OP, "does nothing", ())
    overall = of_dtype(run, index.dtypes.every)
    exits = [e for e in run.exits if not e.is_for_type] or list(run.exits)
    if not reach(run.live):
        chain = exits[0].chain if exits else ()
        what = "is not written yet" if overall is Status.STUB else "every way ends in an error"
        return overall if overall is not Status.MISSING else Status.ERROR, f"{what}{_said(chain)}", chain
    if overall is Status.ERROR:
        chain = next((ask.chain for ask in run.asks if ask.exists is False), ())
        return Status.ERROR, f"asks for kernels that exist nowhere: {_listed(missing)}", chain
    if overall is Status.UNKNOWN:
        what = run.unseen[0].text if run.unseen else _UNTOLD
        return Status.UNKNOWN, what, run.unseen[:_MOST_PLACES]
    return _judged_by_dtype(item, row, overall)


def _judged_by_dtype(item: Account, row: dict[str, Status], overall: Status) -> tuple[Status, str, tuple[Place, ...]]:
    run = item.whole
    fetched = run.fetches[0] if run.fetches else ()
    does = [name for name, status in row.items() if status.does_something]
    on_cpu = [name for name, status in row.items() if status is Status.CPU_ONLY]
    untold = [name for name, status in row.items() if status is Status.UNKNOWN]
    lacking = [name for name in row if name not in does and name not in on_cpu and name not in untold]
    if overall is Status.CPU_ONLY or (on_cpu and not does):
        return Status.CPU_ONLY, f"the CPU does it{_said(fetched)}", fetched
    if row and not does and untold:
        return Status.UNKNOWN, run.unseen[0].text if run.unseen else _UNTOLD, run.unseen[:_MOST_PLACES]
    if row and not does:
        return Status.ERROR, "every data type that the other side does ends in an error", _exit_chain(item)
    parts = []
    if lacking:
        parts.append(f"ends in an error for {_listed(lacking)}")
    if untold:
        seen = [place for one in item.runs.values() for place in one.unseen]
        parts.append(f"cannot be told for {_listed(untold)} ({seen[0].text if seen else _UNTOLD})")
    if run.gaps:
        parts.append(f"ends in an error for {_listed(list(dict.fromkeys(gap.what for gap in run.gaps)))}")
    if item.fails_under:
        parts.append(f"ends in an error under cfg({item.fails_under[0]})")
    if halves := [name for name, status in row.items() if status is Status.PARTIAL]:
        parts.append(f"only some ways for {_listed(halves)}")
    if parts:
        chain = _exit_chain(item) if lacking or halves else (run.gaps[0].chain if run.gaps else ())
        return Status.PARTIAL, "; ".join(parts), chain
    if on_cpu or overall is Status.CONDITIONAL_CPU or Status.CONDITIONAL_CPU in row.values():
        return Status.CONDITIONAL_CPU, f"the CPU does it in some cases{_said(fetched)}", fetched
    if overall is Status.PARTIAL and not row:
        return Status.PARTIAL, "some ways end in an error", _exit_chain(item)
    return Status.IMPLEMENTED, "a way ends in the back end's own code", _first_chain(run.asks)


def _first_chain(asks: Iterable[Ask]) -> tuple[Place, ...]:
    return next((ask.chain for ask in asks if ask.exists is not False), ())


def _exit_chain(item: Account) -> tuple[Place, ...]:
    """The shortest chain to an error that tells a data type."""
    exits = [e for run in (*item.runs.values(), item.whole) for e in run.exits if e.is_for_type or e.is_impossible]
    return min((e.chain for e in exits), key=len, default=())


def _shows(item: Account, lacking: Sequence[Column]) -> tuple[Place, ...]:
    """The chain to the error, or to the kernel that is not there, which stops most of the data types that are stopped."""
    best: tuple[int, int, tuple[Place, ...]] = (0, 0, ())
    for axis, run in item.runs.items():
        stopped = sum({bit for _, own, bit in lacking if own == axis})
        found = [(e.dtypes, e.chain) for e in run.exits if e.is_for_type or e.is_impossible]
        found += [(ask.dtypes, ask.chain) for ask in run.asks if ask.exists is False]
        best = max(
            [best, *((_count(mask & stopped), -len(chain), chain) for mask, chain in found)], key=lambda one: one[:2]
        )
    return best[2] if best[0] else ()


def _kernels(item: Account, wanted: Sequence[Column]) -> tuple[list[str], list[str]]:
    """The kernels asked for, and those of them that exist nowhere; for the data types that are of interest."""
    bits: dict[int, int] = {}
    for _, axis, bit in wanted:
        bits[axis] = bits.get(axis, 0) | bit
    asked: dict[str, None] = {}
    missing: dict[str, None] = {}
    for axis, run in item.runs.items() if bits else [(0, item.whole)]:
        for ask in run.asks:
            if bits and not ask.dtypes & bits.get(axis, 0):
                continue
            name = ask.names[0].replace(HOLE, ANYTHING)
            asked[name] = None
            if ask.exists is False:
                missing[name] = None
    return sorted(asked), sorted(missing)


def _said(chain: Sequence[Place]) -> str:
    return f": {chain[-1].text}" if chain and chain[-1].text else ""


def _listed(names: Sequence[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
