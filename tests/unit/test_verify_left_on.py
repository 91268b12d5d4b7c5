"""Switches for debugging that AMD's files leave on."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.verify.checks import Outcome
from rewarp.verify.left_on import left_on
from rewarp.verify.static import verify_static
from rewarp.workspace import Folder

IMAGE = "FROM rocm/pytorch:latest\nENV AMD_SERIALIZE_KERNEL=3\n"
LEFT_ON = {
    "an image": ("docker/Dockerfile.rocm", IMAGE),
    "an image, with others": ("Dockerfile.amd", "FROM x\nENV A=1 HIP_LAUNCH_BLOCKING=1\n"),
    "a script": ("run_amd.sh", "set -e\nexport AMD_SERIALIZE_COPY=3\npython serve.py\n"),
    "variables": ("rocm.env", "AMD_SERIALIZE_KERNEL=1\n"),
    "compose": (
        "compose.rocm.yaml",
        "services:\n  a:\n    image: x\n    environment:\n      HIP_LAUNCH_BLOCKING: '1'\n",
    ),
}
NOT_LEFT_ON = {
    "it is off": ("Dockerfile.rocm", "FROM x\nENV AMD_SERIALIZE_KERNEL=0\n"),
    "who builds says": ("Dockerfile.rocm", "FROM x\nARG S=0\nENV AMD_SERIALIZE_KERNEL=$S\n"),
    "everybody's image": ("Dockerfile", IMAGE),
    "an image for finding faults": ("Dockerfile.rocm-debug", IMAGE),
    "a script of the tests": ("tests/run_rocm.sh", "export AMD_SERIALIZE_KERNEL=3\n"),
    "a script of the CI": ("ci/run_rocm.sh", "export AMD_SERIALIZE_KERNEL=3\n"),
    "one command alone": ("run_amd.sh", "AMD_SERIALIZE_KERNEL=3 python check.py\npython serve.py\n"),
    "below a question": ("run_amd.sh", 'if [ "$DEBUG" = 1 ]; then\n  export AMD_SERIALIZE_KERNEL=3\nfi\n'),
    "after a question": ("run_amd.sh", "[[ -n $DEBUG ]] && export AMD_SERIALIZE_KERNEL=3\n"),
    "in a function": ("run_amd.sh", "slowly() {\n  export AMD_SERIALIZE_KERNEL=3\n}\n"),
    "a comment": ("run_amd.sh", "# export AMD_SERIALIZE_KERNEL=3\npython serve.py\n"),
}


@pytest.mark.parametrize(("path", "text"), [*LEFT_ON.values(), *NOT_LEFT_ON.values()], ids=[*LEFT_ON, *NOT_LEFT_ON])
def test_what_is_left_on(tmp_path: Path, path: str, text: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert len(list(left_on(Folder(tmp_path), [path]))) == ((path, text) in LEFT_ON.values())


def test_it_fails_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile.rocm").write_text(IMAGE)
    failed = [check for check in verify_static(tmp_path, use_cache=False).checks if check.outcome is Outcome.FAILED]
    assert [(check.path, check.line) for check in failed] == [("Dockerfile.rocm", 2)]
    assert "AMD_SERIALIZE_KERNEL=3 is for debugging" in failed[0].why
