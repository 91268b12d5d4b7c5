"""A definition runs where its declaration says."""

from __future__ import annotations

from pathlib import Path

from rewarp import toolchain
from rewarp.files import write_together
from rewarp.translation.output import mirror
from rewarp.translation.tree import translate_tree, with_suffix

HEADER = """#pragma once
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
#define CORNERS(board) ((board) * 4)
#define SHORE(board) (CORNERS(board) * \\
  4)
class Board {
 public:
  BOTH Board(int size);
  BOTH int size() const;
  int name(int);
  BOTH int name(int, int);
  BOTH Board operator *(int by) const;
  BOTH int& operator[](int at);
  BOTH bool operator()() const;
 private:
  int size_;
};
__device__ int twice(int x);
BOTH unsigned long factorial(unsigned n);
int host(int x);
"""
SOURCE = """#include "board.h"
Board::Board(int size) : size_(size) {}
int Board::size() const { return size_; }
int Board::name(int x) { return x; }
int Board::name(int x, int y) { return x + y; }
Board Board::operator*(int by) const { return Board(size_ * by); }
int& Board::operator[](int at) { return size_; }
bool Board::operator()() const { return true; }
int twice(int x) { return 2 * x; }
BOTH
unsigned long factorial(unsigned n) { return n ? n * factorial(n - 1) : 1; }
int host(int x) { return x; }
__global__ void kernel(int* out) { *out = twice((Board(3) * 2).size()) + factorial(3); }
"""


def translated(folder: Path, **files: str) -> Path:
    project, out = folder / "in", folder / "out"
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    write_together(mirror(translate_tree(project, naming=with_suffix(".hip")), out))
    return out


def test_the_words_of_the_declaration_stand_before_the_definition(tmp_path: Path) -> None:
    out = translated(tmp_path, **{"board.h": HEADER, "board.cu": SOURCE})
    text = (out / "board.hip").read_text()
    assert "\n__host__ __device__ Board::Board(int size) : size_(size) {}\n" in text
    assert "\n__host__ __device__ int Board::size() const { return size_; }\n" in text
    assert "\n__host__ __device__ int Board::name(int x, int y)" in text
    assert "\n__host__ __device__ Board Board::operator*(int by) const" in text
    assert "\n__host__ __device__ int& Board::operator[](int at)" in text
    assert "\n__host__ __device__ bool Board::operator()() const" in text
    assert "\n__device__ int twice(int x)" in text
    done = toolchain.find().compile_device(out / "board.hip", "gfx942", level="syntax")
    assert [str(error) for error in done.errors] == []


def test_what_says_so_itself_or_is_the_hosts_is_left_alone(tmp_path: Path) -> None:
    text = (translated(tmp_path, **{"board.h": HEADER, "board.cu": SOURCE}) / "board.hip").read_text()
    assert "\nint Board::name(int x) {" in text
    assert "\nBOTH\nunsigned long factorial" in text
    assert "\nint host(int x)" in text


def test_where_declarations_disagree_nothing_is_written(tmp_path: Path) -> None:
    other = "#pragma once\nint twice(int x);\n__device__ int seen();\n"
    text = (translated(tmp_path, **{"board.h": HEADER, "other.h": other, "board.cu": SOURCE}) / "board.hip").read_text()
    assert "\nint twice(int x)" in text


def test_a_call_is_no_declaration(tmp_path: Path) -> None:
    source = "__device__ int f(int x) {\n  return g(x);\n}\n__device__ void h() {\n  act(1);\n}\nvoid act(int x) {}\n"
    assert "\nvoid act(int x) {}" in (translated(tmp_path, **{"a.cu": source}) / "a.hip").read_text()


def test_a_host_source_gets_no_words_that_its_compiler_does_not_know(tmp_path: Path) -> None:
    out = translated(
        tmp_path, **{"board.h": HEADER, "board.cpp": '#include "board.h"\nint Board::size() const { return 1; }\n'}
    )
    assert "__host__" not in (out / "board.cpp").read_text()


def test_a_definition_that_names_one_side_has_both_where_its_declaration_does(tmp_path: Path) -> None:
    header = "struct Quad {\n  __host__ __device__ int get() const;\n  __device__ int only() const;\n  int q;\n};\n"
    source = (
        '#include "quad.h"\nnamespace {\nint other() { return 1; }\n}\n  __device__ int Quad::get() const { return q; }\n'
        "__device__ int Quad::only() const { return q; }\n"
    )
    out = translated(tmp_path, **{"quad.h": header, "quad.cu": source})
    text = (out / "quad.hip").read_text()
    assert "\n  __host__ __device__ int Quad::get() const {" in text
    assert "\n__device__ int Quad::only() const {" in text
    done = toolchain.find().compile_device(out / "quad.hip", "gfx942", level="syntax")
    assert [str(error) for error in done.errors] == []
