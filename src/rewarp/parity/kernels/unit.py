"""A translation unit as kernels are looked for in it: code without a name that can matter is not expanded at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from rewarp.lang.cpp import preprocessor
from rewarp.lang.cpp.conditions import Macros
from rewarp.lang.cpp.macros import Macro, MacroTable
from rewarp.parity.kernels.lexer import read
from rewarp.parity.kernels.tokens import Statement


class Sink(preprocessor.Sink, Protocol):
    marks: frozenset[str]
    """Names without which, and without a macro that writes one, a statement defines no kernel."""

    @property
    def is_idle(self) -> bool:
        """Whether no statement is begun."""
        ...


class KernelMacros(MacroTable):
    """The macros that are defined, and which of them can matter for kernels."""

    def __init__(self, marks: frozenset[str]) -> None:
        super().__init__()
        self._marks = marks | {"namespace", "host_name"}
        self.telling: set[str] = set(self._marks)
        """Names after whose expansion a kernel, or the scope of one, can stand there."""
        self._used_by: dict[str, set[str]] = {}

    def define(self, macro: Macro, *, is_sure: bool) -> None:
        super().define(macro, is_sure=is_sure)
        for name in macro.names:
            self._used_by.setdefault(name, set()).add(macro.name)
        if macro.name in self._marks or not self.telling.isdisjoint(macro.names) or _is_open(macro):
            self._tell(macro.name)

    def _tell(self, name: str) -> None:
        """Note that a macro matters, and with it every macro that uses it."""
        waiting = [name]
        while waiting:
            name = waiting.pop()
            self.telling.add(name)
            waiting += self._used_by.get(name, set()) - self.telling


def _is_open(macro: Macro) -> bool:
    """Whether a macro matters whatever its names are: it pastes names, sets the linkage, or opens or closes a scope."""
    texts = [token.text for token in macro.body]
    return "##" in texts or '"C"' in texts or texts.count("{") != texts.count("}")


class KernelSource(preprocessor.Preprocessor):
    def __init__(self, sink: Sink, platform: Macros, resolve: preprocessor.Resolve, files: Mapping[str, bytes]) -> None:
        table = KernelMacros(sink.marks)
        super().__init__(sink, platform, resolve, files, table)
        self._kernel_sink, self._telling = sink, table.telling

    def items(self, data: bytes) -> tuple[preprocessor.Item, ...]:
        return read(data)

    def code(self, code: preprocessor.Code, path: str) -> None:
        if isinstance(code, Statement) and code.is_whole and self._kernel_sink.is_idle:
            if self._telling.isdisjoint(code.names) and (not code.is_call or code.tokens[0].text in self.macros):
                return
        super().code(code, path)
