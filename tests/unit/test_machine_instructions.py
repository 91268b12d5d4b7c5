"""Single instructions, each one beside a second source of its meaning."""

from __future__ import annotations

import pytest

from machine import second_source


@pytest.mark.parametrize("arch", second_source.FAMILIES)
def test_instructions_do_what_amds_pseudocode_says(arch: str) -> None:
    checks = second_source.checked(arch)
    assert {check.text: check.differences[:3] for check in checks if check.differences} == {}
    # The table that the documentation is made from says what was checked, and nothing else.
    listed = {text: source for text, source in second_source.table(arch).items() if source.startswith("AMD")}
    assert {check.text: check.source for check in checks} == listed
