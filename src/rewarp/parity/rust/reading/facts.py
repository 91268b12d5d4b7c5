"""What one Rust file declares: functions, traits, impls, types, macros. Bodies are parsed on demand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str
    is_mutable: bool = False


@dataclass(frozen=True)
class Function:
    """A function, a method, or the declaration of one in a trait."""

    path: str
    line: int
    name: str
    span: tuple[int, int]
    """The whole item in the bytes of its file, for whoever reads its body."""
    source: bytes = b""
    """What a macro wrote; empty for what stands in the file."""
    owner: str = ""
    """The type of the `impl` or the trait it stands in; empty for a free function."""
    trait: str = ""
    """The trait that the `impl` is for."""
    module: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    takes_self: bool = False
    returns: str = ""
    generics: tuple[str, ...] = ()
    """Type parameters of the function and of what it stands in."""
    bounds: tuple[tuple[str, str], ...] = ()
    """Type parameters with the traits that they must have, as written."""
    cfg: tuple[str, ...] = ()
    """Conditions of its own and of all that it stands in."""
    is_public: bool = False
    has_body: bool = True
    is_broken: bool = False
    """Whether it does not parse."""

    @property
    def title(self) -> str:
        # A type inside a function is called by its own name.
        return f"{self.owner.partition('@')[0]}::{self.name}" if self.owner else self.name

    @property
    def arity(self) -> int:
        """How many arguments a call gives, `self` left out."""
        return len(self.parameters)


@dataclass(frozen=True)
class Impl:
    path: str
    line: int
    type: str
    trait: str
    is_blanket: bool
    """`impl<U: Op> Map1 for U`."""
    functions: tuple[Function, ...]
    associated: tuple[tuple[str, str], ...] = ()
    """Associated types by name."""
    cfg: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trait:
    path: str
    line: int
    name: str
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class Member:
    """A field of a struct or a variant of an enum."""

    name: str
    type: str
    line: int
    cfg: tuple[str, ...] = ()


@dataclass(frozen=True)
class Type:
    """A struct or an enum."""

    path: str
    line: int
    name: str
    is_enum: bool
    members: tuple[Member, ...]
    cfg: tuple[str, ...] = ()


@dataclass(frozen=True)
class Macro:
    path: str
    line: int
    name: str
    rules: tuple[tuple[str, str], ...]
    """Pattern and body of every rule, without their brackets."""


@dataclass(frozen=True)
class MacroUse:
    """A macro that stands where items stand: what it writes are items."""

    path: str
    line: int
    name: str
    arguments: str
    module: tuple[str, ...] = ()
    cfg: tuple[str, ...] = ()


@dataclass(frozen=True)
class Constant:
    path: str
    line: int
    name: str
    module: tuple[str, ...]
    value: bytes
    owner: str = ""


@dataclass(frozen=True)
class Module:
    """`mod name;`: which file it is, and when it is built."""

    name: str
    cfg: tuple[str, ...]
    file: str = ""
    """What `#[path]` says."""


@dataclass(frozen=True)
class SyntaxFault:
    line: int
    what: str


@dataclass(frozen=True)
class FileFacts:
    """The declarations of one file."""

    path: str
    functions: tuple[Function, ...] = ()
    impls: tuple[Impl, ...] = ()
    traits: tuple[Trait, ...] = ()
    types: tuple[Type, ...] = ()
    macros: tuple[Macro, ...] = ()
    macro_uses: tuple[MacroUse, ...] = ()
    constants: tuple[Constant, ...] = ()
    modules: tuple[Module, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    """Other names of types, from `type` and from `use … as`."""
    faults: tuple[SyntaxFault, ...] = ()
