"""pytest runs a project's own tests of Triton kernels without a GPU: ``pytest --rewarp-machine=gfx942``.

The kernels are compiled by Triton's AMD back end and run on the machine; where a test says ``device="cuda"`` it gets CPU
tensors. The end of the report tells which kernels ran, and which tests passed without any: those show nothing about AMD.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

_OPTION = "--rewarp-machine"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rewarp")
    group.addoption(
        _OPTION,
        metavar="ARCH",
        default=None,
        help="run Triton kernels as an AMD card's code on this CPU: gfx942, gfx1100",
    )


def pytest_configure(config: pytest.Config) -> None:
    if arch := config.getoption(_OPTION):
        config.pluginmanager.register(_OnMachine(config, arch), "rewarp-machine-session")


class _OnMachine:
    def __init__(self, config: pytest.Config, arch: str) -> None:
        from rewarp import machine
        from rewarp.errors import RewarpError
        from rewarp.machine.cuda_on_cpu import cuda_on_cpu
        from rewarp.machine.triton import launches

        self._arch, self._launches, self._without = arch, launches, 0
        self._stack = contextlib.ExitStack()
        try:
            self._stack.enter_context(machine.triton(arch))
            self._stack.enter_context(cuda_on_cpu(arch))
        except RewarpError as error:
            raise pytest.UsageError(str(error)) from None
        config.add_cleanup(self._stack.close)

    def pytest_report_header(self) -> str:
        return (
            f"rewarp: Triton kernels run as {self._arch} code on an emulator; device cuda means tensors of this CPU, "
            "and torch's own operations are the CPU's"
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        before = sum(self._launches.values())
        result = yield
        self._without += sum(self._launches.values()) == before
        return result

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section(f"ran as {self._arch} code on an emulator")
        for name, count in sorted(self._launches.items()):
            terminalreporter.line(f"{name}: {count} launch{'es' if count != 1 else ''}")
        if not self._launches:
            terminalreporter.line("no kernel ran")
        if self._without:
            tests, show = ("test", "it shows") if self._without == 1 else ("tests", "they show")
            terminalreporter.line(f"{self._without} {tests} passed without a kernel: {show} nothing about {self._arch}")
