"""The guide passes the validator of Agent Skills. The validator needs Python 3.11."""

from __future__ import annotations

from pathlib import Path

import pytest
from skills_ref import read_properties, validate

from rewarp.skill import GUIDE, NAME
from rewarp.skill.folder import write_skill


def test_the_skill_is_valid(tmp_path: Path) -> None:
    write_skill(tmp_path / NAME)
    assert validate(tmp_path / NAME) == []
    assert read_properties(tmp_path / NAME).name == NAME


@pytest.mark.parametrize(("said", "instead"), [("name: ", "nom: "), ("description: ", "description: " + "x" * 1024)])
def test_the_validator_would_say_so(said: str, instead: str, tmp_path: Path) -> None:
    write_skill(tmp_path / NAME)
    guide = tmp_path / NAME / GUIDE
    guide.write_text(guide.read_text("utf-8").replace(said, instead, 1), "utf-8")
    assert validate(tmp_path / NAME) != []
