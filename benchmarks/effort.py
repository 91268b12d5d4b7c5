"""Fits what a port costs on human ROCm ports, and says how far off it is on ports set aside.

    python benchmarks/effort.py [--ports benchmarks/effort.csv] [--names]

`effort_ports.py` measured the ports. A third of the repositories, by a digest of their names, is set aside. The model is

    lines = base + automatic * (files with nothing but automatic fixes) + left * (files with something left for a person)

and the same for files; it is fitted by least absolute differences of logarithms, since ports differ by factors. An error
is a factor: 2 says that half of the ports took between half and twice what was told, or the other way round. Left out, and
counted: rows without a changed line of code, and those of which the scan says that the target was supported already.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from effort_ports import rows

_STEPS = (2.0, 1.4, 1.2, 1.1, 1.05, 1.02)


class Port(NamedTuple):
    name: str
    lines: int
    files: int
    features: tuple[float, float, float]
    """1, files with automatic fixes alone, files with something left."""
    days: int

    @property
    def is_aside(self) -> bool:
        return hashlib.sha256(self.name.encode()).digest()[0] % 3 == 0


def _number(row: dict[str, str], name: str) -> int:
    return int(row[name] or 0)


def ports(file: Path) -> tuple[list[Port], int]:
    """The ports that can be learnt from, and how many rows cannot."""
    found: list[Port] = []
    listed = rows(file)
    for row in listed:
        lines = sum(
            _number(row, f"{group}_{way}") for group in ("device", "python", "build") for way in ("added", "removed")
        )
        if lines and not row["conclusion"].startswith("supports"):
            left, every = _number(row, "left_files"), _number(row, "found_files")
            features = (1.0, float(every - left), float(left))
            found.append(Port(row["repo"], lines, _number(row, "files"), features, _number(row, "author_days")))
    return found, len(listed) - len(found)


Amount = Callable[[Port], int]


def told(model: Sequence[float], port: Port) -> float:
    return max(1.0, sum(factor * feature for factor, feature in zip(model, port.features)))


def fit(learnt: Sequence[Port], amount: Amount) -> list[float]:
    """Each factor in turn is made larger or smaller while that helps, in ever smaller steps."""

    def loss(model: Sequence[float]) -> float:
        return statistics.fmean(abs(math.log(told(model, port) / amount(port))) for port in learnt)

    model = [float(statistics.median(map(amount, learnt))) / 4, 4.0, 16.0]
    best = loss(model)
    for step in _STEPS:
        moved = True
        while moved:
            moved = False
            for at in range(len(model)):
                for factor in (step, 1 / step):
                    trial = [*model[:at], model[at] * factor, *model[at + 1 :]]
                    if (value := loss(trial)) < best - 1e-9:
                        model, best, moved = trial, value, True
    return model


def _lines(port: Port) -> int:
    return port.lines


def _files(port: Port) -> int:
    return max(1, port.files)


def error(judged: Sequence[Port], amount: Amount, model: Sequence[float]) -> float:
    """The median factor by which what is told is off."""
    return math.exp(statistics.median(abs(math.log(told(model, port) / amount(port))) for port in judged))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ports", type=Path, default=Path(__file__).with_name("effort.csv"))
    parser.add_argument("--names", action="store_true", help="each port: set, lines, lines told")
    options = parser.parse_args()
    found, left_out = ports(options.ports)
    learnt, aside = [p for p in found if not p.is_aside], [p for p in found if p.is_aside]
    print(f"{len(found)} ports of {len({p.name for p in found})} repositories; {left_out} rows left out")
    print(f"learnt from {len(learnt)}, set aside {len(aside)}")
    for what, amount in (("lines", _lines), ("files", _files)):
        model = fit(learnt, amount)
        middle = float(statistics.median(map(amount, learnt)))
        print(f"{what} = {model[0]:.1f} + {model[1]:.2f} * automatic files + {model[2]:.2f} * files left")
        print(
            f"  median error: {error(learnt, amount, model):.2f} on those learnt from, "
            f"{error(aside, amount, model):.2f} on those set aside "
            f"({error(aside, amount, [middle]):.2f} if {middle:.0f} were told of each)"
        )
        if options.names and what == "lines":
            for port in sorted(found, key=lambda p: (p.is_aside, p.name)):
                where = "aside" if port.is_aside else "learnt"
                print(f"  {where} {port.name}: {port.lines}, told {told(model, port):.0f}")
    paces = [port.lines / port.days for port in found if port.days > 1]
    print(
        f"median pace: {statistics.median(paces):.0f} lines a day with commits, of {len(paces)} ports whose branch is public"
    )


if __name__ == "__main__":
    main()
