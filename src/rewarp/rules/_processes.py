"""What a Python program notices where another program that it starts is not there."""

from __future__ import annotations

import ast

from rewarp.lang.python import PythonFile

_IN_SHELLS = frozenset({"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"})
_ASKED_TO_RAISE = frozenset({"subprocess.check_call", "subprocess.check_output"})


def is_left_to_a_shell(document: PythonFile, call: ast.Call) -> bool:
    """Whether a shell starts the program, so that no exception tells that there is none: the status is 127, the answer empty."""
    path = document.path(call.func) or ""
    if path in _IN_SHELLS:
        return True
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    shell, check = (getattr(given.get(name), "value", False) for name in ("shell", "check"))
    return path.startswith("subprocess.") and shell is True and check is not True and path not in _ASKED_TO_RAISE
