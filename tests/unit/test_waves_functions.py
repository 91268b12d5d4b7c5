"""Where functions begin and end."""

import pytest

from rewarp.waves.reading.functions import definitions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"static void f(struct item* one, int n) { }", ["f"]),
        (b"struct item* f(enum kind of) { }", ["f"]),
        (b"struct item { int x; };\nvoid f() { }", ["f"]),
        (b"struct box : base<(N > 2)> { void f(class item x) { } };", ["f"]),
        (b"namespace a { void f(union u v) { } }", ["f"]),
        (b"class item EXPORTED { };", []),
        (b"#define call(x) other(x)\n#endif\nvoid f(int x) { }", ["f"]),
        (b"template <int N>\n#if N\n__launch_bounds__(N)\n#endif\n__global__ void f(struct s* p) { }", ["f"]),
        (b"#define loop(x) \\\n  do { x; } while (0)\nvoid f() { }", ["loop", "f"]),
    ],
)
def test_names_of_functions(text: bytes, names: list[str]) -> None:
    assert [function.name for function in definitions(text)] == names
