"""Branches of Makefiles that no build takes."""

from pathlib import Path

from rewarp.project.build import read_build
from rewarp.project.build.skipped import passed_over
from rewarp.project.gates import NVIDIA
from rewarp.workspace import Folder

_MAKEFILE = """OS := $(shell uname -s)
DEBUG ?= 0
GPU ?= 0
ifeq ($(OS), Darwin)
FLAGS += -Xcompiler -fPIC \\
  -G
else
FLAGS += -O2
endif
ifeq ($(DEBUG), 1)
FLAGS += -G
endif
ifeq ($(GPU), 1)
FLAGS += -lcudart
endif
ifeq ($(shell date), 1)
FLAGS += -g
endif
a.o: a.cu
\tnvcc $(FLAGS) -c $< -o $@
"""


def test_other_systems_and_debugging_are_passed_over_and_options_for_gpus_are_not(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(_MAKEFILE)
    (tmp_path / "a.cu").write_text("")
    assert passed_over(read_build(Folder(tmp_path), NVIDIA)) == {
        "Makefile": ((5, 5), (6, 6), (7, 7), (11, 11), (12, 12))
    }


def test_what_one_reading_takes_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "common.mk").write_text("ifdef DOUBLE\nFLAGS += -G\nendif\n")
    for folder, first in (("a", "DOUBLE = 1\n"), ("b", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "k.cu").write_text("")
        text = f"{first}include ../common.mk\nk: k.cu\n\tnvcc $(FLAGS) k.cu\n"
        (tmp_path / folder / "Makefile").write_text(text)
    assert passed_over(read_build(Folder(tmp_path), NVIDIA)) == {}
