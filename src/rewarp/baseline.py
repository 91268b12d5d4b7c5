"""A baseline: the findings a team already knows, so that only new ones fail a check."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.files import write_whole
from rewarp.findings import Finding
from rewarp.lang import parsers

SCHEMA = "rewarp.baseline/1"


def write(file: Path, findings: Iterable[Finding]) -> int:
    """Store the findings' fingerprints; returns how many."""
    counts = Counter(finding.fingerprint for finding in findings)
    names = {finding.fingerprint: f"{finding.rule} {finding.path}" for finding in findings}
    data = {
        "schema": SCHEMA,
        "findings": [{"fingerprint": key, "count": counts[key], "what": names[key]} for key in sorted(counts)],
    }
    write_whole(file, json.dumps(data, indent=1) + "\n")
    return sum(counts.values())


def read(file: Path) -> Counter[str]:
    try:
        data = parsers.from_json(file.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise UsageError(f"{file}: schema {data['schema']!r} is not {SCHEMA}")
        return Counter({str(item["fingerprint"]): int(item["count"]) for item in data["findings"]})
    except OSError as error:
        raise UsageError(f"cannot read the baseline {file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{file} is not a rewarp baseline") from None


class Filter:
    """Lets through what the baseline does not hold; two equal findings need two entries."""

    def __init__(self, known: Counter[str]) -> None:
        self._left = Counter(known)
        self.hidden = 0

    def __call__(self, finding: Finding) -> bool:
        if self._left[finding.fingerprint] > 0:
            self._left[finding.fingerprint] -= 1
            self.hidden += 1
            return False
        return True
