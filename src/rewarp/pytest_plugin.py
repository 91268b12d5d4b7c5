"""pytest runs a project's own tests of Triton kernels and of torch extensions without a GPU:
``pytest --rewarp-machine=gfx942``.

Triton's kernels are compiled by its AMD back end, extensions by rewarp, and run on the machine; where a test says
``device="cuda"`` it gets CPU tensors. The end of the report tells which kernels ran, and which tests passed without any: those show nothing about AMD.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

_OPTION, _NAME = "--rewarp-machine", "rewarp_machine"
_SESSION = "rewarp-machine-session"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rewarp")
    group.addoption(
        _OPTION,
        metavar="ARCH",
        default=None,
        help="run Triton kernels and torch extensions as an AMD card's code on this CPU: gfx942, gfx1100",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before a project's conftest files: they may ask at once whether there is a GPU. What fails is told later."""
    with contextlib.suppress(pytest.UsageError):
        _begin(early_config, getattr(early_config.known_args_namespace, _NAME, None))


def pytest_configure(config: pytest.Config) -> None:
    _begin(config, config.getoption(_OPTION))


def _begin(config: pytest.Config, arch: str | None) -> None:
    if arch and not config.pluginmanager.has_plugin(_SESSION):
        config.pluginmanager.register(_OnMachine(config, arch), _SESSION)


class _OnMachine:
    def __init__(self, config: pytest.Config, arch: str) -> None:
        from rewarp import machine
        from rewarp.errors import RewarpError
        from rewarp.machine.cuda_on_cpu import cuda_on_cpu
        from rewarp.run.torch import torch_extension

        self._arch, self._without = arch, 0
        self._stack = contextlib.ExitStack()
        try:
            self._stack.enter_context(machine.triton(arch))
            self._lacking = self._try(torch_extension(arch))
            self._stack.enter_context(cuda_on_cpu(arch))
        except RewarpError as error:
            raise pytest.UsageError(str(error)) from None
        config.add_cleanup(self._stack.close)

    def _launches(self) -> dict[str, int]:
        from rewarp.machine.triton import launches as of_triton
        from rewarp.run.torch import launches as of_extensions

        return {**of_triton, **of_extensions()}

    def _try(self, extensions: contextlib.AbstractContextManager[None]) -> str:
        """Why there are no extensions of torch: tests of Triton's kernels do without."""
        from rewarp.machine import MachineError

        try:
            self._stack.enter_context(extensions)
        except MachineError as error:
            return f"; no extensions: {error}"
        return ""

    def pytest_report_header(self) -> str:
        return (
            f"rewarp: kernels of Triton and of torch extensions run as {self._arch} code on an emulator; device cuda "
            f"means tensors of this CPU, and torch's own operations are the CPU's{self._lacking}"
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        before = sum(self._launches().values())
        result = yield
        self._without += sum(self._launches().values()) == before
        return result

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section(f"ran as {self._arch} code on an emulator")
        ran = self._launches()
        for name, count in sorted(ran.items()):
            terminalreporter.line(f"{name}: {count} launch{'es' if count != 1 else ''}")
        if not ran:
            terminalreporter.line("no kernel ran")
        if self._without:
            tests, show = ("test", "it shows") if self._without == 1 else ("tests", "they show")
            terminalreporter.line(f"{self._without} {tests} passed without a kernel: {show} nothing about {self._arch}")
