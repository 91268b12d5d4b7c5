"""Settings are declared once, and read from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from rewarp import settings
from rewarp.config import Config
from rewarp.errors import UsageError
from rewarp.parity.settings import Settings
from rewarp.settings import setting


@dataclass(frozen=True)
class Some:
    max_size: float = setting(settings.number, 5.0)
    words: tuple[str, ...] = setting(settings.list_of(settings.name), ())
    kind: str = setting(settings.choice("fast", "slow"), "fast")
    table: Any = setting(dict, factory=dict)  # noqa: RUF009
    source: str | None = None


def test_what_is_set_and_what_is_left() -> None:
    found = settings.read(Some, {"max-size": 2, "words": ["a"], "mine": 1}, "T", apart=("mine",), source="file")
    assert found == Some(2.0, ("a",), "fast", {}, "file")
    assert settings.read(Some, {}, "T") == Some()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (["x"], "T must be a table"),
        ({"max_size": 2}, "T knows no 'max_size'"),
        ({"max-sise": 2}, "did you mean 'max-size'"),
        ({"source": "file"}, "T knows no 'source'; it knows max-size, words, kind, table"),
        ({"max-size": 0}, "T max-size must be a positive number"),
        ({"max-size": True}, "must be a positive number"),
        ({"words": "a"}, "T words must be a list of strings"),
        ({"words": [1]}, "must be a list of strings"),
        ({"words": [""]}, "must be a string"),
        ({"kind": "fasst"}, "T kind must be one of fast, slow; did you mean 'fast'"),
    ],
)
def test_what_is_wrong_is_said(table: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        settings.read(Some, table, "T")
    assert message in str(error.value)


def test_every_setting_of_rewarp_is_known_by_its_declaration() -> None:
    scan = {"target", "torch", "rocm", "arch", "exclude", "ignore", "fail-on", "baseline", "max-size"}
    assert set(settings.known(Config)) == scan
    assert set(settings.known(Settings)) == {"a", "b", "roots", "exclude", "pairs", "renames", "waivers", "fail-under"}
