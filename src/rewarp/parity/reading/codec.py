"""Facts serialised to JSON and back, by their type annotations.

What is written is JSON. The types alone decide what is made of it: no name in the data ever chooses a class, and what does
not have exactly the shape of its type is refused.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Generic, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Convert = Callable[[Any], Any]
_LEAVES = (str, int, bool)


@dataclasses.dataclass(frozen=True)
class Codec(Generic[T]):
    """How values of one type are written down, and read again. ValueError for what is none."""

    dumps: Callable[[T], bytes]
    loads: Callable[[bytes], T]


class _Conversion(NamedTuple):
    """To plain data and back."""

    plain: Convert | None
    """None where JSON writes the value as it is."""
    value: Convert


@lru_cache(maxsize=64)
def codec_of(shape: Any) -> Codec[Any]:
    """For a type made of dataclasses, enums, tuples, lists, sets, mappings by text, text, bytes, numbers and None."""
    plain, value = _conversion(shape)

    def dumps(whole: Any) -> bytes:
        with _refused(shape):
            # Text may hold halves of surrogate pairs; escapes would join two of them into one character.
            text = json.dumps(plain(whole) if plain else whole, ensure_ascii=False, separators=(",", ":"))
            return text.encode("utf-8", "surrogatepass")

    def loads(data: bytes) -> Any:
        with _refused(shape):
            return value(json.loads(data.decode("utf-8", "surrogatepass")))

    return Codec(dumps, loads)


@contextmanager
def _refused(shape: Any) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"no {shape}: {error!r}") from None


@lru_cache(maxsize=256)
def _conversion(shape: Any) -> _Conversion:
    if shape in _LEAVES:
        return _leaf(shape)
    if shape is bytes:
        return _Conversion(lambda item: item.decode("latin-1"), _bytes)
    if isinstance(shape, type) and dataclasses.is_dataclass(shape) and not hasattr(shape, "__post_init__"):
        return _dataclass(shape)
    if isinstance(shape, type) and issubclass(shape, tuple) and hasattr(shape, "_fields"):
        return _named_tuple(shape)
    if isinstance(shape, type) and issubclass(shape, Enum):
        members: Mapping[Any, Enum] = {member.value: member for member in shape}
        return _Conversion(lambda item: item.value, members.__getitem__)
    origin, arguments = get_origin(shape), get_args(shape)
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return _row(arguments)
    if origin in (tuple, list, set, frozenset):
        return _many(origin, arguments[0])
    if origin in (dict, Mapping) and arguments[0] is str:
        return _mapping(arguments[1])
    if origin in (Union, UnionType) and len(arguments) == 2 and NoneType in arguments:
        return _optional(next(one for one in arguments if one is not NoneType))
    raise NotImplementedError(f"facts hold no {shape}")


def _leaf(kind: type) -> _Conversion:
    def value(item: Any) -> Any:
        if type(item) is not kind:
            raise ValueError(f"{item!r} is no {kind.__name__}")
        return item

    return _Conversion(None, value)


def _bytes(item: Any) -> bytes:
    if type(item) is not str:
        raise ValueError(f"{item!r} is no text")
    return item.encode("latin-1")


def _optional(shape: Any) -> _Conversion:
    plain, value = _conversion(shape)
    forth = None if plain is None else lambda item: None if item is None else plain(item)
    return _Conversion(forth, lambda item: None if item is None else value(item))


def _many(kind: Callable[[Any], Any], shape: Any) -> _Conversion:
    plain, value = _conversion(shape)
    is_set = kind in (set, frozenset)

    def forth(items: Any) -> Any:
        items = sorted(items) if is_set else items
        return [plain(item) for item in items] if plain else items

    def back(items: Any) -> Any:
        return kind([value(item) for item in _listed(items)])

    return _Conversion(None if plain is None and not is_set else forth, back)


def _mapping(shape: Any) -> _Conversion:
    plain, value = _conversion(shape)

    def back(items: Any) -> dict[str, Any]:
        if type(items) is not dict:
            raise ValueError(f"{items!r} is no mapping")
        return {key: value(item) for key, item in items.items()}

    forth = None if plain is None else lambda items: {key: plain(item) for key, item in items.items()}
    return _Conversion(forth or dict, back)


def _row(shapes: tuple[Any, ...]) -> _Conversion:
    """A tuple of so many items, each of its own type."""
    conversions = [_conversion(shape) for shape in shapes]
    values = [conversion.value for conversion in conversions]
    converted = [(at, conversion.plain) for at, conversion in enumerate(conversions) if conversion.plain is not None]

    def forth(items: Any) -> list[Any]:
        found = list(items)
        for at, plain in converted:
            found[at] = plain(found[at])
        return found

    def back(items: Any) -> tuple[Any, ...]:
        if len(_listed(items)) != len(values):
            raise ValueError(f"{len(items)} items where there should be {len(values)}")
        return tuple([value(item) for value, item in zip(values, items)])

    return _Conversion(forth if converted else None, back)


def _named_tuple(shape: type) -> _Conversion:
    hints = get_type_hints(shape)
    plain, value = _row(tuple(hints.values()))
    return _Conversion(plain, lambda items: shape(*value(items)))


def _dataclass(shape: type) -> _Conversion:
    """A row of its fields."""
    hints = get_type_hints(shape)
    names = [field.name for field in dataclasses.fields(shape)]
    plain, value = _row(tuple(hints[name] for name in names))

    def forth(item: Any) -> Any:
        fields = vars(item)
        row = [fields[name] for name in names]
        return plain(row) if plain else row

    def back(items: Any) -> Any:
        # A frozen class sets its fields one by one, each by a call; it has nothing else to do when it is made.
        made: Any = object.__new__(shape)
        made.__dict__.update(zip(names, value(items)))
        return made

    return _Conversion(forth, back)


def _listed(items: Any) -> list[Any]:
    if type(items) is not list:
        raise ValueError(f"{items!r} is no list")
    return items
