"""Names of a project's own that HIP's headers declare as well: theirs get another one while they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.files import write_together
from rewarp.tables import rows
from rewarp.translation.output import mirror
from rewarp.translation.shim import make_shim
from rewarp.translation.tree import TranslatedTree, translate_tree, with_suffix

SCENE = """#include <cuda_runtime.h>
#include <curand_kernel.h>
#include "texture.h"
__global__ void shade(float* out, texture* t, ullong n) { out[0] = t->value(n); }
"""
OWN = """#pragma once
typedef unsigned long ullong;
class texture {
 public:
  __device__ float value(ullong n) const { return n * scale; }
  float scale;
};
"""


def translated(folder: Path, files: dict[str, str]) -> TranslatedTree:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return translate_tree(folder, naming=with_suffix(".hip"))


def texts(tree: TranslatedTree) -> dict[str, str]:
    return {one.path: one.text for one in tree.translations}


def test_theirs_are_called_otherwise_where_the_projects_are_seen(tmp_path: Path) -> None:
    tree = translated(tmp_path, {"scene.cu": SCENE, "texture.h": OWN, "other.cu": "#include <cuda_runtime.h>\n"})
    hip = texts(tree)
    names = ("texture", "ullong")
    defined = "".join(f"#define {name} hip_headers_{name}\n" for name in names)
    undefined = "".join(f"#undef {name}\n" for name in names)
    includes = "#include <hip/hip_runtime.h>\n#include <hiprand/hiprand_kernel.h>\n"
    assert hip["scene.cu"].startswith(f'{defined}{includes}{undefined}#include "texture.h"\n')
    assert hip["other.cu"] == "#include <hip/hip_runtime.h>\n"
    assert hip["texture.h"].startswith("#pragma once\ntypedef unsigned long ullong;\nclass texture {\n")
    told = [
        (found.line, found.symbol) for one in tree.translations if one.path == "texture.h" for found in one.findings
    ]
    assert told == [(2, "ullong"), (3, "texture")]


def test_a_header_that_is_put_in_is_among_them(tmp_path: Path) -> None:
    source = '#include "texture.h"\n__global__ void k(texture* t) {}\n'
    hip = texts(translated(tmp_path, {"k.cu": source, "texture.h": "struct texture;\n"}))
    opening, closing = "#define texture hip_headers_texture\n", "#undef texture\n"
    assert hip["k.cu"] == f"{opening}#include <hip/hip_runtime.h>\n{closing}{source}"


@pytest.mark.parametrize(
    "own",
    [
        "namespace paint { class texture {}; }\n",
        "struct Surface { struct texture { int id; }; };\n",
        "void draw(struct texture* t);\n",
        "// class texture {};\n",
        "class textures {};\n",
        "texture<float, 2> table;\n",
    ],
)
def test_near_misses_stay(own: str, tmp_path: Path) -> None:
    hip = texts(translated(tmp_path, {"k.cu": '#include <cuda_runtime.h>\n#include "own.h"\n', "own.h": own}))
    assert hip["k.cu"] == '#include <hip/hip_runtime.h>\n#include "own.h"\n'


def test_the_result_compiles(tmp_path: Path) -> None:
    files = {"scene.cu": SCENE.replace("#include <curand_kernel.h>\n", ""), "texture.h": OWN}
    tree = translated(tmp_path / "cuda", files)
    write_together(mirror(tree, tmp_path / "hip"))
    compiler = toolchain.find()
    for arch in ("gfx942", "gfx1100"):
        done = compiler.compile_device(tmp_path / "hip" / "scene.hip", arch)
        assert done.ok, [str(error) for error in done.errors]
    # Without it they do not, or the table is out of date.
    scene = (tmp_path / "hip" / "scene.hip").read_text()
    (tmp_path / "hip" / "bare.hip").write_text("".join(ln for ln in scene.splitlines(True) if "hip_headers" not in ln))
    assert not compiler.compile_device(tmp_path / "hip" / "bare.hip", "gfx942").ok


def test_a_header_of_aliases_does_it_for_all(tmp_path: Path) -> None:
    tree = translated(tmp_path / "cuda", {"scene.cu": SCENE, "texture.h": OWN})
    headers, problems = make_shim(tree, tmp_path / "shim")
    shim = next((file.data or b"").decode() for file in headers if file.file.name == "cuda_to_hip.h")
    opening = shim.index("#define texture hip_headers_texture\n#define ullong hip_headers_ullong\n")
    assert opening < shim.index("#include <hip/hip_runtime.h>") < shim.index("#undef texture\n#undef ullong\n")
    assert problems == []


@pytest.mark.parametrize("name", [row["name"] for row in rows("hip_global_names.csv")])
def test_hips_headers_declare_every_name_of_the_table(name: str, tmp_path: Path) -> None:
    """Else a line of the table would be about nothing: a namespace of that name collides with it."""
    source = tmp_path / "own.hip"
    source.write_text(f"#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\nnamespace {name} {{}}\n")
    assert not toolchain.find().compile_device(source, "gfx942").ok
