"""Lines of Rust sources that only tests compile."""

from pathlib import Path

from rewarp.project.build.rust_tests import test_lines as lines_of_tests
from rewarp.workspace import Folder

_LIBRARY = """pub fn load() { compile("{"); }
#[cfg(feature = "cuda")]
mod kernels { pub fn run() {} }
#[cfg(test)]
#[allow(unused)]
mod tests {
    // }
    fn one() {}
}
pub fn more() {}
#[cfg(all(test, feature = "cuda"))]
fn helper() -> usize { 1 }
#[cfg(test)]
mod elsewhere;
#[cfg(not(test))]
mod real { }
"""


def test_what_only_tests_compile(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text(_LIBRARY)
    (tmp_path / "plain.rs").write_text("fn f() {}\n")
    assert lines_of_tests(Folder(tmp_path)) == {"lib.rs": ((4, 9), (11, 12))}
