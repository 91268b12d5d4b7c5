"""What a project is called by: in a library that wraps cuFFT and rocFFT as `hipfft`, that word says nothing of whose code is.

`nvidia_detail/hipfft.cpp` and `amd_detail/hipfft.cpp` show it: files of one name in the folders of two back ends. While the
analysers look, the word is spelled so that it names nobody; in what they say it stands again as it is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rewarp.parity.names.backends import backend_of, library, named_in
from rewarp.parity.names.pairs import rewritten
from rewarp.parity.units import Analysis

_LETTERS = "qxzjkv"


@dataclass(frozen=True)
class Product:
    """The words that name the project, each with a spelling that the tree does not have."""

    spellings: Mapping[str, str]

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Product:
        found = {word: _spelling(word, files) for word in sorted(_shared_words(files))}
        return cls({word: spelling for word, spelling in found.items() if spelling})

    def masked(self, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        if not self.spellings:
            return files
        exchange = _exchange(self.spellings)

        def masked(data: bytes) -> bytes:
            return exchange(data.decode("latin-1")).encode("latin-1")

        return {exchange(path): masked(data) for path, data in files.items()}

    def unmasked(self, found: Analysis) -> Analysis:
        if not self.spellings:
            return found
        return rewritten(found, _exchange({spelling: word for word, spelling in self.spellings.items()}))


def _shared_words(paths: Iterable[str]) -> set[str]:
    """Libraries by which files of one name are called that stand in the folders of two back ends."""
    folders: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        above, _, name = path.rpartition("/")
        owner = next(filter(None, map(backend_of, reversed(above.split("/")))), None)
        if owner and backend_of(name):
            folders[name].add(owner)
    named = {word for name, owners in folders.items() if len(owners) > 1 for word in named_in(name.partition(".")[0])}
    # A platform's own word (`hip`, `cuda`) is never taken for a project's: its calls would be gone with it.
    return set(filter(library, named))


def _spelling(word: str, files: Mapping[str, bytes]) -> str:
    """The word with another second letter, as nothing in the tree is spelled; empty where all are taken."""
    for letter in _LETTERS:
        other = word[0] + letter + word[2:]
        taken = re.compile(re.escape(other.encode()), re.I)
        if not any(taken.search(data) or taken.search(path.encode()) for path, data in files.items()):
            return other
    return ""


def _exchange(others: Mapping[str, str]) -> Callable[[str], str]:
    """Words for others of the same length, letter by letter as large as they were."""
    pattern = re.compile("|".join(map(re.escape, others)), re.I)

    def other(found: re.Match[str]) -> str:
        new = others[found[0].lower()]
        return "".join(to.upper() if was.isupper() else to for was, to in zip(found[0], new, strict=True))

    return lambda text: pattern.sub(other, text)
