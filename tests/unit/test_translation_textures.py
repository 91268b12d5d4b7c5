"""Texture references: which get a stand-in, and which stay. What the stand-ins look like is in the golden cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.source import SourceFile
from rewarp.translation.lexing import lex
from rewarp.translation.tree import TranslatedTree, translate_file, translate_sources

DECLARED = "texture<float, 1, cudaReadModeElementType> table;\n"
FETCH = "__device__ float at(int i) { return tex1Dfetch(table, i); }\n"
BIND = "void bind(float* p, size_t n) { cudaBindTexture(0, table, p, n); }\n"


def translated(**files: str) -> TranslatedTree:
    """A tree of files; in their names ``__`` is the dot."""
    sources = [SourceFile(name.replace("__", "."), text.encode()) for name, text in files.items()]
    return translate_sources(Path("project"), [(source, lex(source.view)) for source in sources])


def text_of(tree: TranslatedTree, path: str) -> str:
    return next(item.data.decode() for item in tree.translations if item.source.path == path)


def one(text: str, path: str = "kernel__cu") -> str:
    return text_of(translated(**{path: text}), path.replace("__", "."))


def test_a_reference_to_linear_memory_becomes_memory() -> None:
    text = one(DECLARED + FETCH + BIND)
    assert "static __device__ rewarp_texels<float> table_texels;\n" in text
    assert "static rewarp_linear_texture<float, 1, hipReadModeElementType> table(table_texels);\n" in text
    assert "tex1Dfetch(table_texels, i)" in text
    assert "hipBindTexture(0, table, p, n)" in text
    assert '#include "rewarp_hip.h"' in text


@pytest.mark.parametrize(
    "declared",
    [
        "texture<float> table;",
        "static texture<float, cudaTextureType1D> table;",
        "namespace n {\n  texture<float, 1> table;\n}\nusing namespace n;",
        'extern "C" {\ntexture<float, 1> table;\n}',
        "#if D\ntexture<int2, 1> table;\n#else\ntexture<float, 1> table;\n#endif",
        "texture<float, 1> table(0, cudaFilterModePoint, cudaAddressModeClamp);",
        "// a comment\ntexture< float , 1 > table ;",
    ],
)
def test_declarations_that_are_understood(declared: str) -> None:
    text = one(declared + "\n" + FETCH + BIND)
    assert "tex1Dfetch(table_texels, i)" in text
    assert "table(table_texels" in text
    assert not any(line.lstrip().startswith(("texture", "static texture")) for line in text.splitlines())


@pytest.mark.parametrize(
    "use",
    [
        "tex2D(table, 1.0f, 2.0f)",
        "tex1D(table, 1.0f)",
    ],
)
def test_what_is_not_read_by_index_becomes_an_object(use: str) -> None:
    text = one(DECLARED + "__device__ float at() { return " + use + "; }\n")
    function = use.partition("(")[0]
    assert f"{function}<float>(table_object, " in text
    assert "static rewarp_texture<float, 1, hipReadModeElementType> table(table_object);" in text


@pytest.mark.parametrize(
    ("texel", "fetched"),
    [("uchar4", "float4"), ("unsigned char", "float"), ("short2", "float2"), ("ushort", "float"), ("char1", "float1")],
)
def test_normalized_fetches_give_floats(texel: str, fetched: str) -> None:
    text = one(
        f"texture<{texel}, 2, cudaReadModeNormalizedFloat> t;\n__device__ auto f() {{ return tex2D(t, 0, 0); }}\n"
    )
    assert f"tex2D<{fetched}>(t_object, 0, 0)" in text


STAYS = {
    "declared elsewhere": "extern " + DECLARED + FETCH,
    "another name for the type": "typedef texture<float, 1> Table;\nTable table;\n" + FETCH,
    "passed to a function": DECLARED + "__device__ float g() { return look(table); }\n",
    "its address taken": DECLARED + "const textureReference* p = &table;\n" + FETCH,
    "asked for by name": DECLARED + FETCH + 'void f() { cudaGetTextureReference(&p, "table"); }\n',
    "asked for by name from a module": DECLARED + FETCH + 'void f() { cuModuleGetTexRef(&p, m, "table"); }\n',
    "fetched in a macro by its parameter": DECLARED + "#define AT(t, i) tex1Dfetch(t, i)\n" + FETCH,
    "pasted together in a macro": DECLARED + "#define AT(t, i) \\\n  tex1Dfetch(ta##t, i)\n" + FETCH,
    "in a class": "struct S {\n  static texture<float, 1> table;\n};\n" + FETCH,
    "a field nobody knows": DECLARED + FETCH + "void f() { table.textureObject = 0; }\n",
    "a local variable of the same name": DECLARED + FETCH + "void f() { int table = 0; }\n",
    "a mode that depends": "texture<float, 2, kMode> table;\n__device__ float g() { return tex2D(table, 0, 0); }\n",
    "a name that is taken": DECLARED + FETCH + "int table_texels;\n",
}


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS.keys())
def test_references_that_stay(text: str) -> None:
    tree = translated(kernel__cu=text)
    assert "rewarp_" not in text_of(tree, "kernel.cu")
    assert any(problem.symbol == "texture" for problem in tree.translations[0].problems)


def test_a_macro_may_fetch_from_the_reference_itself() -> None:
    text = one(DECLARED + "#define AT(i) tex1Dfetch(table, i)\n" + BIND)
    assert "#define AT(i) tex1Dfetch(table_texels, i)" in text


def test_members_of_the_same_name_are_others() -> None:
    text = one(DECLARED + FETCH + "int f(Plan* plan) { return plan->table + plan[0].table; }\n")
    assert "plan->table + plan[0].table" in text
    assert "table_texels, i" in text


def test_some_references_may_stay_while_others_go() -> None:
    text = one(DECLARED + FETCH + "texture<float, 1> other;\n__device__ float g() { return look(other); }\n")
    assert "texture<float, 1> other;" in text
    assert "table(table_texels)" in text


def test_declared_together_they_go_or_stay_together() -> None:
    text = one("texture<float, 1> table, other;\n" + FETCH + "__device__ float g() { return look(other); }\n")
    assert "rewarp_" not in text


def test_the_whole_project_is_asked() -> None:
    tree = translated(
        tables__cuh=DECLARED, kernel__cu='#include "tables.cuh"\n' + FETCH, host__cu='#include "tables.cuh"\n' + BIND
    )
    assert "table(table_texels)" in text_of(tree, "tables.cuh")
    assert "tex1Dfetch(table_texels, i)" in text_of(tree, "kernel.cu")
    assert "hipBindTexture(0, table, p, n)" in text_of(tree, "host.cu")
    assert not any(problem.symbol == "cudaBindTexture" for item in tree.translations for problem in item.problems)


def test_one_file_that_does_something_else_keeps_it_everywhere() -> None:
    tree = translated(tables__cuh=DECLARED, kernel__cu=FETCH, other__cu="float f() { return tex_look(table); }\n")
    assert "rewarp_" not in "".join(item.data.decode() for item in tree.translations)


def test_each_file_knows_the_type_of_its_own() -> None:
    fetch = "__device__ float at() { return tex2D(t, 0, 0); }\n"
    tree = translated(a__cu="texture<float, 2> t;\n" + fetch, b__cu="texture<int, 2> t;\n" + fetch)
    assert "tex2D<float>(t_object" in text_of(tree, "a.cu")
    assert "tex2D<int>(t_object" in text_of(tree, "b.cu")


def test_a_header_alone_does_not_know_who_includes_it() -> None:
    assert "rewarp_" not in one(DECLARED + FETCH, "tables__cuh")


def test_what_a_file_beside_it_declares_stays(tmp_path: Path) -> None:
    tmp_path.joinpath("tables.cuh").write_text(DECLARED)
    kernel = tmp_path / "kernel.cu"
    kernel.write_text('#include "tables.cuh"\n' + FETCH + "texture<float> own;\n")
    text = translate_file(kernel).translations[0].data.decode()
    assert "tex1Dfetch(table, i)" in text
    assert "own(own_texels)" in text


def test_line_endings_and_indentation_are_kept() -> None:
    text = one("namespace n {\r\n  texture<float> t;\r\n}\r\n")
    assert (
        "  static __device__ rewarp_texels<float> t_texels;\r\n  static rewarp_linear_texture<float> t(t_texels);\r\n"
        in text
    )


def test_only_fetches_that_need_texture_units_are_reported() -> None:
    symbols = [problem.symbol for problem in translated(k__cu=DECLARED + FETCH).translations[0].problems]
    assert symbols == ["table"]
    symbols = [
        problem.symbol
        for problem in translated(k__cu=DECLARED + FETCH.replace("1Dfetch", "2D")).translations[0].problems
    ]
    assert symbols == ["table", "tex2D"]
