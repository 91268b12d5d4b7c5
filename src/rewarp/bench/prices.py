"""What a device costs by the hour: a price is a person's own, and has a date."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace

from rewarp.bench.result import Result, Sourced
from rewarp.errors import UsageError

FIELD = "price_usd_per_device_hour"


@dataclass(frozen=True)
class Price:
    usd_per_device_hour: float
    date: str


def parse(text: str) -> Price:
    """`2.49@2026-11-01`: US dollars for one device and one hour, and the day on which that held."""
    found = re.fullmatch(r"\s*\$?(\d+(?:\.\d+)?)\s*@\s*(\d{4}-\d{2}-\d{2})\s*", text)
    if found is None:
        raise UsageError(f"--price {text}: say USD per device and hour, and the date of the price: 2.49@2026-11-01")
    try:
        datetime.date.fromisoformat(found[2])
    except ValueError:
        raise UsageError(f"--price {text}: {found[2]} is no date") from None
    return Price(float(found[1]), found[2])


def with_price(result: Result, price: Price) -> Result:
    """The result, with what its devices cost; ``derive`` then gives the cost per million tokens."""
    fact = Sourced(price.usd_per_device_hour, f"--price, as of {price.date}")
    return replace(result, configuration={**result.configuration, FIELD: fact})
