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
    around = b"cusolverDn_t cufftXt cudaGetProperty nccl_t __half __nv_bfloat16 cudaSurface cuCtx_t "
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


def test_a_name_is_found_once_wherever_it_could_be_recognised() -> None:
    assert lex(b"cuda_block cuda_cu nvcuda_groups").names == {
        b"cuda_block": [0],
        b"cuda_cu": [11],
        b"nvcuda_groups": [19],
    }
    assert lex(b"cuda\\\n__x __x").names == {b"cuda__x": [0], b"__x": [10]}


def test_places_are_in_file_order() -> None:
    found = lex(b"__x cuA CUB cuA nvC __x").names
    assert found == {b"__x": [0, 20], b"cuA": [4, 12], b"CUB": [8], b"nvC": [16]}


@pytest.mark.parametrize(
    "comment", ["/**/", "/***/", "/* * / */", "/* **/", "/*/*/", "/*\n * cuB\n **/", "// cuB\\\n cuB\n", '"cuB\\"cuB"']
)
def test_code_goes_on_behind_what_hides_it(comment: str) -> None:
    assert lex(f"cuA {comment} cuC".encode()).names.keys() == {b"cuA", b"cuC"}


@pytest.mark.parametrize("begun", ["/* cuB", "/* cuB *", "/* cuB **", "/*/ cuB"])
def test_a_comment_that_never_ends_hides_the_rest(begun: str) -> None:
    assert lex(f"cuA {begun}".encode()).names.keys() == {b"cuA"}
