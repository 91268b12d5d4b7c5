"""A back end that is not built: its functions, which all do the same, are said once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rewarp.port.rust.stubs import said_once
from tools import present

METHODS = "".join(
    f"    fn m{n}(&self, _: &str, _: usize) -> Result<Self> {{\n        Err(Missing)\n    }}\n\n" for n in range(8)
)
STUB = f"""//! A device that is not there.
pub struct Missing;
type Result<T> = std::result::Result<T, Missing>;

#[derive(Clone)]
pub struct Device;

/// What a device does.
pub trait Does: Sized {{
    type Of;
{METHODS.replace(" {", ";").replace("        Err(Missing)", "").replace("    }", "").replace("_: ", "_: ")}
    fn wide<T: Into<u64>, F>(&self, _first: &[T], _second: &mut F, _third: (usize, usize), _fourth: Option<f64>) -> Result<Self::Of>;
    fn name(&self) -> String;
}}

impl Does for Device {{
    type Of = Self;

{METHODS}    fn wide<T: Into<u64>, F>(
        &self,
        _first: &[T],
        _second: &mut F,
        _third: (usize, usize),
        _fourth: Option<f64>,
    ) -> Result<Self::Of> {{
        Err(Missing)
    }}

    fn name(&self) -> String {{
        "none".to_string()
    }}
}}
"""


def test_functions_that_do_the_same_become_a_list_of_signatures() -> None:
    made = said_once(STUB.encode()).decode()
    assert made.count("Err(Missing)") == 1
    assert "        [fn m0(&self, _: &str, _: usize) -> Result<Self>]\n" in made
    assert '    fn name(&self) -> String {\n        "none".to_string()\n    }\n' in made
    assert len(made.splitlines()) <= len(STUB.splitlines()) - 24
    assert all(len(line) <= 100 for line in made.partition("impl Does for Device")[2].splitlines())


def test_it_is_the_same_to_rust(tmp_path: Path) -> None:
    if not present("rustc"):
        return
    for name, code in {"before": STUB, "after": said_once(STUB.encode()).decode()}.items():
        file = tmp_path / f"{name}.rs"
        file.write_text(code)
        command = ["rustc", "--crate-type", "lib", "--emit", "metadata", "-D", "warnings", "-o", tmp_path / name, file]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    fn m3(&self, _: &str, _: usize) -> Result<Self> {\n", "    #[inline]\n    fn m3(&self, _: &str, _: usize) -> Result<Self> {\n"),
        ("    fn m3(&self, _: &str, _: usize) -> Result<Self> {\n", "    /// The third.\n    fn m3(&self, _: &str, _: usize) -> Result<Self> {\n"),
        ("    fn m3(&self, _: &str, _: usize) -> Result<Self> {\n", "    fn m3(&self, _: &str, /* what */ _: usize) -> Result<Self> { // x\n"),
    ],
    ids=["an attribute", "documentation", "a comment within"],
)  # fmt: skip
def test_what_is_said_of_one_stays_with_it(old: str, new: str) -> None:
    code = STUB.partition("impl Does")
    made = said_once((code[0] + code[1] + code[2].replace(old, new)).encode()).decode()
    assert "[fn m2(" in made
    assert "[fn m3(" not in made


def test_a_few_stay_as_they_are() -> None:
    few = STUB.replace("fn m0", "fn n0").replace("        Err(Missing)", "        todo!()", 3).encode()
    assert said_once(few) == few
    assert said_once(said_once(STUB.encode())) == said_once(STUB.encode())
    assert said_once(b"impl D { fn f() {") == b"impl D { fn f() {"
