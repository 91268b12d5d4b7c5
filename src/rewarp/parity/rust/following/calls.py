"""Calls followed: what they do to the paths through their caller, and which kernels they ask for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rewarp.lang.rust_tree import base_type, last_segment
from rewarp.parity.call_graph import Edge
from rewarp.parity.names.backends import backend_of
from rewarp.parity.rust.following.callees import (
    Calling,
    bound_by,
    callee_of,
    is_own_and_absent,
    is_worth_following,
    return_type,
)
from rewarp.parity.rust.following.kernel_requests import LOADS_KERNEL, ask
from rewarp.parity.rust.following.paths import (
    CPU,
    FETCHED,
    LAUNCHED,
    SENT,
    WORKED,
    Gap,
    Live,
    Step,
    after,
    marked,
    merged,
    only,
    reach,
)
from rewarp.parity.rust.following.values import UNKNOWN, Value, either
from rewarp.parity.rust.reading.cfg import is_built
from rewarp.parity.rust.reading.facts import Function, MacroUse
from rewarp.parity.rust.reading.reader import read_items
from rewarp.parity.rust.reading.tree import Call, Closure, Method, Path

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame


_FETCHES = re.compile(r"(?:to|into|as|get)_cpu(?:_\w+)?|cpu_storage")
_FETCHES_BYTES = re.compile(r"\w*(?:dtoh|dtov|to_host|to_cpu|read_to_vec)\w*")
_SENDS = re.compile(r"\w*(?:storage_from_(?:cpu|slice)|htod|stod|to_device_buffer)\w*")
_LAUNCHES = re.compile(r"\w*(?:launch|dispatch|gemm|matmul|enqueue|convolution|forward_algo)\w*", re.I)
_PREPARES = re.compile(r"config|builder|encoder|descriptor|dispatch_?type|support|available|workspace|_size$", re.I)
"""What makes ready for a launch or asks about one: nothing is launched yet."""
_PASSES_ON = frozenset(
    """clone to_string to_owned as_str as_ref as_mut into borrow deref unwrap expect w bt map_err context with_context
    cloned copied as_slice ok_or ok_or_else dtype slice lock read write as_deref to_lowercase unwrap_or
    unwrap_or_else""".split()
)
_GIVES_ON = frozenset(("and_then", "map", "for_each", "try_for_each", "flat_map", "then"))
"""Methods that hand what they have to a closure: an error there is one of theirs."""
_NEVER = frozenset(("abort", "exit", "unreachable_unchecked", "panic_any", "resume_unwind"))
"""Functions of the standard library that do not come back."""
_OPENS = frozenset(
    ("unwrap", "expect", "ok_or", "ok_or_else", "unwrap_or", "unwrap_or_else", "context", "with_context")
)
"""Of an `Option`, what is in it: that it is there says nothing of what it is."""
_CATCHES = frozenset(("ok", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "or_else", "is_ok", "is_err", "or"))
_WRAPS = frozenset(("Ok", "Some", "Box::new", "Arc::new", "Rc::new", "Cow::Borrowed", "String::from"))
_NAMES_TYPE = frozenset(("type_name", "of", "type_id", "type_name_of_val"))


def fetches(name: str) -> bool:
    """Whether a method's own business is to move data between the device and the CPU."""
    return bool(_FETCHES.fullmatch(name) or _FETCHES_BYTES.fullmatch(name) or _SENDS.fullmatch(name))


def local_function(outer: Function, name: str, line: int, source: bytes) -> Function:
    """A function inside another."""
    found = read_items(source.decode("utf-8", "replace"), MacroUse(outer.path, line, name, "", outer.module, outer.cfg))
    return found.functions[0] if found.functions else replace(outer, name=name, has_body=False)


def call(frame: Frame, node: Calling, live: Live) -> tuple[Value, Live]:
    """A call by path or a method call."""
    if isinstance(node, Call) and (called := frame.names.get(node.path, UNKNOWN).called):
        if not isinstance(called, str):
            for argument in node.arguments:
                _, live = frame.expression(argument, live)
            return UNKNOWN, frame.invoked(called, live)
        node = replace(node, path=called)
    receiver = UNKNOWN
    name = node.name if isinstance(node, Method) else last_segment(node.path)
    if isinstance(node, Method):
        before, exits = live, len(frame.record.exits)
        receiver, live = frame.expression(node.receiver, live)
        if name in _CATCHES:
            receiver, live = _caught(frame, name, receiver, before, live, exits)
            if receiver.holds is not None and not node.arguments:
                return receiver, live
    arguments: list[Value] = []
    for argument in node.arguments:
        value, live = frame.expression(argument, live)
        arguments.append(value)
        if name in _GIVES_ON and isinstance(argument, Closure) and live and not _lives(frame, argument, live):
            what = f"what {name}() gives its closure"
            frame.record.gaps.append(
                Gap(what, frame.dtypes.every, (frame.place(node.line, f"{what} ends in an error"),))
            )
    if isinstance(node, Method) and name in _OPENS and receiver.holds and not name.startswith("unwrap_"):
        absent = only(live, ~receiver.holds[0] & frame.dtypes.every)
        frame.fails(absent, node.line, f"{name}() of None")
        live = only(live, receiver.holds[0])
    if not live:
        return UNKNOWN, live
    if isinstance(node, Call):
        made = _made(frame, node, name, arguments, live)
        if made is not None:
            return made
    if (moved := _moved(frame, node, name, live)) is not None:
        return _returned(frame, node, receiver, arguments, name), moved
    return _followed(frame, node, name, receiver, tuple(arguments), live)


def _caught(frame: Frame, name: str, receiver: Value, before: Live, live: Live, exits: int) -> tuple[Value, Live]:
    """`f(x).is_ok()`: what fails in there does not fail here, and whether it does may be asked."""
    failed = frame.record.exits[exits:]
    lost = reach(before) & ~reach(live)
    if not lost:
        return receiver, live
    frame.record.exits[exits:] = [kept for e in failed if (kept := replace(e, dtypes=e.dtypes & ~lost)).dtypes]
    holds = (reach(live), frame.dtypes.every if frame.record.exits[exits:] else lost)
    if name == "is_err":
        holds = holds[::-1]
    asked = name in ("ok", "is_ok", "is_err")
    return replace(receiver, holds=holds) if asked else receiver, merged((live, only(before, lost)))


def _lives(frame: Frame, closure: Closure, live: Live) -> Live:
    exits = len(frame.record.exits)
    inside = frame.invoked(closure, live)
    del frame.record.exits[exits:]
    return inside


def _made(frame: Frame, node: Call, name: str, arguments: list[Value], live: Live) -> tuple[Value, Live] | None:
    """What is no call: an error, a wrapper, a value of a struct or an enum."""
    if name in _NEVER and "::" in node.path:
        frame.fails(live, node.line, f"{node.path}()")
        return UNKNOWN, {}
    if name == "Err":
        frame.fails(live, node.line, "Err(…)")
        return UNKNOWN, {}
    if node.path in _WRAPS or name in ("Ok", "Some"):
        value = arguments[0] if arguments else UNKNOWN
        return replace(value, holds=(frame.dtypes.every, 0)) if name == "Some" else value, live
    if name in _NAMES_TYPE and node.generics:
        written = node.generics.strip("<> ")
        return frame.generics.get(written, Value(dtypes=frame.dtypes.of(written))), live
    if name[:1].isupper() and ("::" in node.path or not name.isupper()):
        owner = frame.own_type(last_segment(node.path.rpartition("::")[0]))
        kind = frame.own_type(name)
        is_variant = any(found.is_enum for found in frame.index.types.get(owner, ()))
        if not is_variant and any(not found.is_enum for found in frame.index.types.get(kind, ())):
            return Value(type=kind, fields=tuple((str(place), value) for place, value in enumerate(arguments))), live
        subjects = {value.subject for value in arguments}
        return Value(type=owner, subject=subjects.pop() if len(subjects) == 1 else ""), live
    return None


def _moved(frame: Frame, node: Calling, name: str, live: Live) -> Live | None:
    """Data between the device and the CPU: where that is not the method's own business, it is not looked into."""
    if fetches(frame.follower.unit):
        return None
    to_cpu = name in ("to_device", "to") and any(
        isinstance(a, Path) and a.name.endswith("::Cpu") for a in node.arguments
    )
    mark = CPU if to_cpu or _FETCHES.fullmatch(name) else 0
    if not mark and _FETCHES_BYTES.fullmatch(name):
        mark = FETCHED
    if not mark and _SENDS.fullmatch(name):
        mark = SENT
    if not mark:
        return None
    if mark != SENT:
        frame.record.fetches.append((frame.place(node.line, f"{name}()"),))
    return marked(live, mark | WORKED)


def _returned(frame: Frame, node: Calling, receiver: Value, arguments: list[Value], name: str) -> Value:
    """The type that a call gives back, where nobody looks into it."""
    del arguments
    if name.startswith(("to_cpu", "cpu_")):
        return Value(type="CpuStorage")
    callee = callee_of(frame, node, receiver)
    kinds = {frame.own_type(base_type(f.returns)) for f in callee.functions}
    return Value(type=kinds.pop() if len(kinds) == 1 else "")


def _followed(
    frame: Frame, node: Calling, name: str, receiver: Value, arguments: tuple[Value, ...], live: Live
) -> tuple[Value, Live]:
    callee = callee_of(frame, node, receiver)
    functions = tuple(f for f in callee.functions if is_built(f.cfg, frame.follower.backend))
    if frame.function in functions and _is_on_self(node):
        # It has no way out but through itself.
        return UNKNOWN, {}
    functions = tuple(f for f in functions if f != frame.function)
    if callee.edge is Edge.GUESSED:
        # `ffi::run()` inside `run()`: a name that leads back to where it came from was guessed wrong.
        functions = tuple(f for f in functions if not frame.follower.is_open(f))
    place = frame.place(node.line, f"{name}()")
    if any(_is_cpu_work(frame, f) for f in functions):
        frame.record.fetches.append((frame.place(node.line, f"{functions[0].title} of the CPU"),))
        return Value(type="CpuStorage" if not fetches(frame.follower.unit) else ""), marked(live, CPU | WORKED)
    if not functions:
        _note(frame, Edge.EXTERNAL, node, name)
    if not functions and is_own_and_absent(frame, node, receiver):
        return UNKNOWN, frame.unseen(live, node.line, f"{receiver.type}::{name} is nowhere to be found")
    if not functions:
        live = _external(frame, node, name, arguments, live)
        return _passed_through(node, receiver, arguments) or _result(frame, name, receiver, UNKNOWN), live
    outs: list[Live] = []
    values: list[Value] = []
    for function in functions:
        itself, given = receiver, arguments
        if isinstance(node, Call) and function.takes_self and arguments:
            itself, given = arguments[0], arguments[1:]
        generics = bound_by(frame, node, function, given)
        _note(frame, callee.edge, node, name, function, receiver=itself, arguments=given, generics=generics)
        if LOADS_KERNEL.fullmatch(name) and sum(bool(value.strings) for value in arguments) == 1:
            # Whether it was loaded before or not: the kernel of this name is what comes of it.
            return Value(type=return_type(frame, function)), marked(ask(frame, arguments, live, node.line), WORKED)
        # One function of that name which is handed the back end's own: a helper of another crate.
        is_handed = any(backend_of(value.type) == frame.follower.backend for value in arguments)
        is_told = callee.edge is Edge.RESOLVED or (isinstance(node, Call) and len(functions) == 1 and is_handed)
        if not is_worth_following(frame, function, receiver, arguments, is_told=is_told):
            outs.append({WORKED: frame.dtypes.every})
            values.append(Value(type=return_type(frame, function)))
            continue
        run = frame.follower.run(function, itself, given, frame.axis, generics)
        frame.record.take(run, replace(place, text=f"calls {function.title}"), reach(live))
        if LOADS_KERNEL.fullmatch(name) and not run.asks:
            live = ask(frame, arguments, live, node.line)
        outs.append(marked(run.live, WORKED))
        kind = run.value.type or return_type(frame, function)
        values.append(replace(run.value, type=kind))
    return _result(frame, name, receiver, either(values)), after(live, merged(outs))


def _is_on_self(node: Calling) -> bool:
    """`self.foo()` or `Self::foo()`."""
    return node.receiver == Path("self") if isinstance(node, Method) else node.path.startswith("Self::")


def _note(frame: Frame, edge: Edge, node: Calling, name: str, function: Function | None = None, **known: Any) -> None:
    what = function.title if function is not None else (node.path if isinstance(node, Call) else f".{name}")
    frame.record.edges.add((edge.value, what, node.line))
    frame.record.steps.append(Step(edge, frame.place(node.line, f"{name}()"), function, what, **known))


def _result(frame: Frame, name: str, receiver: Value, found: Value) -> Value:
    """What a call gives back: what was found, or what the receiver already was."""
    if found.strings or found.items or found.fields:
        return found
    if name in _PASSES_ON and (receiver.is_telling or receiver.type) and not found.type:
        return replace(receiver, holds=None) if name in _OPENS else receiver
    if receiver.subject and not found.subject:
        return replace(found, subject=receiver.subject)
    return found


def _passed_through(node: Calling, receiver: Value, arguments: tuple[Value, ...]) -> Value | None:
    """A string through third-party code: `Box::leak(name.into_boxed_str())` is still the name."""
    if isinstance(node, Method):
        return receiver if receiver.strings and not arguments else None
    return arguments[0] if len(arguments) == 1 and arguments[0].strings else None


def _is_cpu_work(frame: Frame, function: Function) -> bool:
    """The method under examination, as the CPU has it."""
    own = frame.follower
    return (
        own.backend != "cpu"
        and function.name in own.shared
        and backend_of(function.owner) == "cpu"
        and frame.index.backend(frame.function) != "cpu"
    )


def _external(frame: Frame, node: Calling, name: str, arguments: tuple[Value, ...], live: Live) -> Live:
    """A call into third-party code."""
    live = marked(live, WORKED)
    if LOADS_KERNEL.fullmatch(name):
        return ask(frame, arguments, live, node.line)
    if not _LAUNCHES.fullmatch(name) or _PREPARES.search(name):
        return live
    frame.record.launches.append(frame.place(node.line, f"{name}()"))
    return marked(live, LAUNCHED)
