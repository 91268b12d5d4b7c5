"""One C++ program of many units: each in its own namespace, with a function that makes its arguments and calls it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from lane_simulator.adapt import as_cpp
from lane_simulator.lane_runs import Argument, Buffer, LaneProgram

_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b[^\n]*", re.M)


def program(units: Sequence[LaneProgram]) -> bytes:
    """The program that runs the units by name. What they include comes first: it must not land in a namespace."""
    sources = [as_cpp(unit.text, unit.shown_path) for unit in units]
    includes = dict.fromkeys(line.strip() for source in sources for line in _INCLUDE.findall(source))
    parts = [b'#include "runtime.h"', *includes]
    for unit, source in zip(units, sources):
        parts += [
            b"namespace %s {" % unit.name.encode(),
            b'#line 1 "%s"' % re.sub(rb'(["\\])', rb"\\\1", os.fsencode(unit.shown_path)),
            _INCLUDE.sub(b"", source),
            b"}",
            *(b"#undef " + name for name in dict.fromkeys(_DEFINED.findall(source))),
        ]
    parts += [_runner(unit).encode() for unit in units]
    table = "".join(f'  {{"{unit.name}", run_{unit.name}}},\n' for unit in units)
    return b"\n".join([*parts, _MAIN.replace("TABLE", table).encode()])


_MAIN = """const int warpSize = LANES_WAVE;
static const lanes::Case cases[] = {
TABLE};
int main(int argc, char** argv) {
  return lanes::run_cases(cases, sizeof cases / sizeof cases[0], LANES_AMD, LANES_WAVE, argc, argv);
}
"""


def _runner(unit: LaneProgram) -> str:
    call = unit.call
    made = "".join(f"  {_made(argument)}\n" for argument in call.arguments)
    names = ", ".join(argument.name for argument in call.arguments)
    called = f"{unit.name}::{call.entry}({names})"
    if call.grid is not None:
        called = f"lanes::launch(dim3({call.grid}), dim3({call.block}), {call.shared_bytes}, [=] {{ {called}; }})"
    return f"static void run_{unit.name}(lanes::Arguments& arguments) {{\n{made}  {called};\n}}"


def _made(argument: Argument) -> str:
    if not isinstance(argument, Buffer):
        return f"const {argument.type} {argument.name} = {argument.value};"
    fill = argument.fill
    if not isinstance(fill, str):
        numbers = ", ".join(map(repr, fill))
        fill = f"(({argument.type}[]){{{numbers}}})[i]"
    return (
        f"{argument.type}* {argument.name} = arguments.buffer<{argument.type}>("
        f'"{argument.name}", {argument.count}, [](long i) {{ return static_cast<{argument.type}>({fill}); }});'
    )
