"""Calls resolved: which functions one may mean, and whether following it can tell anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Union

from rewarp.lang.rust_tree import base_type, last_segment
from rewarp.parity.call_graph import Edge
from rewarp.parity.names.backends import backend_of
from rewarp.parity.rust.following.values import Generics, Value
from rewarp.parity.rust.reading.facts import Function
from rewarp.parity.rust.reading.index import Callee
from rewarp.parity.rust.reading.std_methods import OF_ALL_TYPES
from rewarp.parity.rust.reading.tree import Call, Method, Path

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame

Calling = Union[Call, Method]

_WITHOUT_METHODS = frozenset(
    ("", "Clone", "Debug", "Send", "Sync", "Drop", "Default", "PartialEq", "Eq", "Hash", "Display", "From")
)
_PLAIN = re.compile(r"(?:&\s*(?:'\w+\s+)?(?:mut\s+)?)?(?:\w+\s*::\s*)*\w+")
"""A type, or a reference to one, that stands for itself."""


def callee_of(frame: Frame, node: Calling, receiver: Value) -> Callee:
    arity = len(node.arguments)
    if isinstance(node, Call):
        if (local := frame.local_functions.get(node.path)) is not None:
            return Callee(Edge.RESOLVED, (local,))
        first, _, rest = node.path.partition("::")
        known = frame.generics[first].type if rest and first in frame.generics else ""
        # `T::as_slice(x)` where the caller wrote which type `T` is.
        path = f"{known}::{rest}" if known else node.path
        return frame.index.function(path, arity, frame.function, is_generic=bool(node.generics))
    first = node.receiver.name.partition("::")[0] if isinstance(node.receiver, Path) else ""
    if (
        receiver.is_generic
        and (receiver.subject or receiver.dtypes)
        and (found := frame.index.of_dtype(node.name, arity, frame.function))
    ):
        return found
    if first in frame.function.generics or receiver.is_generic:
        found = frame.index.of_generic(node.name, arity, frame.function)
        return found if found.functions else frame.index.method("", node.name, arity, frame.function)
    return frame.index.method(receiver.type, node.name, arity, frame.function)


def is_own_and_absent(frame: Frame, node: Calling, receiver: Value) -> bool:
    """`x.foo()` of a type of the project that has no `foo`: it does not build, or a macro made it."""
    if not isinstance(node, Method) or not isinstance(node.receiver, Path) or node.name in OF_ALL_TYPES:
        return False
    if node.receiver.name != "self" and (
        not _is_plain_parameter(frame, node.receiver.name, receiver) or frame.index.is_name_of_a_function(node.name)
    ):
        return False
    traits = {impl.trait for impl in frame.index.impls_of(receiver.type)}
    # A name without a back end in it may be that of another crate's type.
    is_sure = backend_of(receiver.type) is not None or receiver.type == frame.function.owner
    is_known = receiver.type in frame.index.types and is_sure
    if node.receiver.name == "self" and receiver.type != frame.function.owner:
        return False
    return is_known and "Deref" not in traits and all(t in frame.index.traits or t in _WITHOUT_METHODS for t in traits)


def _is_plain_parameter(frame: Frame, name: str, value: Value) -> bool:
    """Whether a name is a parameter that is of a type as it stands there: no `Option` of it, nothing it derefs to."""
    return any(
        parameter.name.removeprefix("mut ").strip() == name
        and _PLAIN.fullmatch(parameter.type)
        and frame.own_type(base_type(parameter.type)) == value.type
        for parameter in frame.function.parameters
    )


def return_type(frame: Frame, function: Function) -> str:
    kind = base_type(function.returns)
    return (
        function.owner
        if kind == "Self"
        else (frame.own_type(kind) if not kind.startswith("Self::") else _associated(frame, function, kind))
    )


def _associated(frame: Frame, function: Function, kind: str) -> str:
    wanted = kind.removeprefix("Self::")
    for impl in frame.index.impls_of(function.owner):
        for own, found in impl.associated:
            if own == wanted:
                return base_type(found)
    return ""


def is_worth_following(
    frame: Frame, function: Function, receiver: Value, arguments: tuple[Value, ...], *, is_told: bool
) -> bool:
    """Whether a look inside can tell anything: the back end's own code, or code that is handed what is followed."""
    if frame.index.backend(function) == frame.follower.backend:
        return True
    if frame.index.backend(function) is not None or not is_told:
        return False
    return any(value.is_telling for value in (receiver, *arguments)) or bool(frame.generics)


def bound_by(frame: Frame, node: Calling, function: Function, arguments: tuple[Value, ...]) -> Generics:
    """The type parameters of a function whose data type is known."""
    found = {
        generic: Value(subject=frame.axis)
        for generic in function.generics
        for place, parameter in enumerate(function.parameters)
        if place < len(arguments)
        and arguments[place].subject == frame.axis != ""
        and re.search(rf"\b{re.escape(generic)}\b", parameter.type)
    }
    given = [part.strip() for part in node.generics.strip("<>").split(",")] if node.generics else []
    for generic, part in zip(function.generics[-len(given) :] if given else (), given):
        if part in frame.generics:
            found[generic] = frame.generics[part]
        elif dtypes := frame.dtypes.of(part):
            found[generic] = Value(type=last_segment(part), dtypes=dtypes)
    return frozenset(found.items())
