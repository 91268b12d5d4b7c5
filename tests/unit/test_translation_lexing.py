"""What the translator reads from a file's text: no name that a table has something to say about is overlooked."""

from __future__ import annotations

import pytest

from rewarp.tables import cuda
from rewarp.translation.lexing import lex


def test_every_name_that_needs_something_done_is_found() -> None:
    def needs_something(name: bytes) -> bool:
        twin = cuda.twin(name)
        return twin is not None and (twin.status != "mapped" or twin.hip != twin.cuda)

    overlooked = [name for name in cuda.names() if needs_something(name) and name not in lex(b"(" + name + b")").names]
    assert not overlooked


@pytest.mark.parametrize("word", ["my_umin", "umin2", "humin", "tanhf", "atomicAdd", "atomic_block", "make_pair"])
def test_words_that_only_resemble_one_are_not(word: str) -> None:
    assert not lex(f"({word})".encode()).names


def test_a_rare_name_in_a_comment_or_a_string_is_no_use() -> None:
    assert not lex(b'// umin(a, b)\nconst char* name = "umin";').names
    assert lex(b"/* umin */ umin(a, b)").names == {b"umin": [11]}
