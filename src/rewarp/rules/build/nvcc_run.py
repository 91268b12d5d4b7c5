"""BLD-004: a Python program that runs nvcc."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import ScriptFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._processes import is_left_to_a_shell
from rewarp.targets import Context

_CAUGHT = ("FileNotFoundError", "OSError", "EnvironmentError", "IOError")
_CALLS = ["run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput"]


@rule(
    id="BLD-004",
    title="nvcc is run from Python",
    kinds=PYTHON_KINDS,
    anchors=["nvcc"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.CRASH,
        why="There is no nvcc on an AMD machine, so starting it raises FileNotFoundError.",
        fix="Ask only when torch.version.hip is None; on AMD take the version from torch.version.hip.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="There is no nvcc on a Gaudi machine, so starting it raises FileNotFoundError.",
        fix="Ask only when torch.version.cuda is not None.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='subprocess.check_output(["nvcc", "--version"])',
    source="https://github.com/vllm-project/vllm/pull/3104",
    fix=ScriptFix(),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for process calls whose program is nvcc."""
    paths = [f"subprocess.{name}" for name in _CALLS] + ["os.system", "os.popen"]
    direct = {id(command.where) for command in document.commands if command.name == "nvcc"}
    for path, call in document.calls(*paths):
        if id(call) not in direct and not _program_is_nvcc(document, call):
            continue
        if is_left_to_a_shell(document, call):
            yield Hit(call, "nvcc is run and its output read; here that comes back empty", path, Severity.INFO)
        elif document.caught(call, *_CAUGHT):
            yield Hit(call, "nvcc is run, and its absence is handled", path, Severity.INFO)
        else:
            yield Hit(call, "nvcc is run, and nothing catches that it is not there", path)


def _program_is_nvcc(document: PythonFile, call: ast.Call) -> bool:
    """Whether the program is a path put together that ends in nvcc."""
    program: ast.expr | None = call.args[0] if call.args else None
    for _ in range(4):
        if isinstance(program, (ast.List, ast.Tuple)) and program.elts:
            program = program.elts[0]
        elif isinstance(program, ast.Name) and (value := document.only_value(program)) is not None:
            program = value
        elif isinstance(program, ast.Call) and document.raw(program.func).endswith("join") and program.args:
            program = program.args[-1]
        elif isinstance(program, ast.Call) and document.raw(program.func) == "str" and program.args:
            program = program.args[0]
        elif isinstance(program, ast.BinOp) and isinstance(program.op, ast.Div):
            program = program.right
        else:
            break
    text = document.string(program) or ""
    return text.split(" ")[0].rpartition("/")[2] == "nvcc"
