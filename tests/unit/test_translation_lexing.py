"""What the translator reads from a file's text: no name that a table has something to say about is overlooked."""

from __future__ import annotations

import pytest

from rewarp.tables import cuda
from rewarp.translation.lexing import lex


def test_every_name_that_needs_something_done_is_found() -> None:
    def needs_something(name: bytes) -> bool:
        twin = cuda.twin(name)
        return twin is not None and (twin.status != "mapped" or twin.hip != twin.cuda)

    # Names of a library come with others of it.
    around = b"cusolverDn_t cufftXt cudaGetProperty nccl_t __half __nv_bfloat16 cudaTexture cudaSurface cuCtx_t "
    overlooked = {name for name in cuda.names() if needs_something(name) and name not in lex(around + name).names}
    # Undocumented, or spelt like anybody's helper, and a search for each would slow every file down.
    assert overlooked == set(b"umin umax llmin llmax ullmin ullmax fdivide".split())


@pytest.mark.parametrize(
    "word", ["my_warpSize", "tanhf", "atomicAdd", "atomic_block", "make_pair", "make_pair_cu", "x_block"]
)
def test_words_that_only_resemble_one_are_not(word: str) -> None:
    assert not lex(f"({word})".encode()).names


def test_a_rare_name_in_a_comment_or_a_string_is_no_use() -> None:
    assert not lex(b'// warpSize\nconst char* name = "make_cuComplex";').names
    assert lex(b"/* warpSize */ warpSize").names == {b"warpSize": [15]}
