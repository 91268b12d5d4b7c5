"""The kinds of fixes: each says what a part of the port has to know of a rule to mend what it finds."""

from __future__ import annotations

from dataclasses import dataclass

from rewarp.fixes.place import Mender


@dataclass(frozen=True)
class Fix:
    """What ``rewarp port`` does about a rule's findings."""


@dataclass(frozen=True)
class PythonFix(Fix):
    """Edits of the Python file in which the finding stands, behind the project's gate."""

    mend: Mender
    even_if_mild: bool = False
    """Whether a finding that only informs is mended as well."""
    needs_helper: bool = False
    """Whether it may import from the helper that the project gets to carry with it."""
    opens: bool = False
    """Whether it lets the target into code that it did not reach: all that is in there has to be mended, too."""
    leaves_out: bool = False
    """Whether it leaves the target without a library: code that uses it is then not to be opened to the target."""
