"""Writing: whole or not at all, never where a stranger's link leads, never over what is no plain file."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.files import NewFile, refuse_links, replacing, write_together, write_whole

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
REWARP = [sys.executable, "-m", "rewarp"]
CODE = "import torch\nx = torch.cuda.get_device_capability()[0] >= 8\n"
KERNEL = "#include <cuda_runtime.h>\nvoid f(void **p) { cudaMalloc(p, 4); }\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="links and devices as Linux has them")


def rewarp(*arguments: str | Path, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*REWARP, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A stranger's folder beside a file of the user's."""
    (tmp_path / "precious.txt").write_text("precious")
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / "a.py").write_text(CODE)
    return folder


# --- links ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [".rewarp.sarif.tmp", ".rewarp.sarif.1.tmp", "rewarp.sarif.tmp"])
def test_a_temporary_name_that_can_be_guessed_is_not_used(tree: Path, name: str) -> None:
    (tree / name).symlink_to("../precious.txt")
    done = rewarp("scan", ".", "--sarif", "rewarp.sarif", "--fail-on", "never", cwd=tree)
    assert done.returncode == 0, done.stderr
    assert (tree.parent / "precious.txt").read_text() == "precious"
    assert (tree / "rewarp.sarif").read_text().startswith("{")
    assert os.readlink(tree / name) == "../precious.txt"


def test_a_report_does_not_follow_a_link(tree: Path) -> None:
    (tree / "rewarp.sarif").symlink_to("../precious.txt")
    done = rewarp("scan", ".", "--sarif", "rewarp.sarif", cwd=tree)
    assert done.returncode == 2
    assert "symbolic link" in done.stderr
    assert (tree.parent / "precious.txt").read_text() == "precious"
    assert (tree / "rewarp.sarif").is_symlink()


def test_no_two_temporary_names_are_alike(tmp_path: Path) -> None:
    seen: set[str] = set()
    for _ in range(3):
        with replacing(tmp_path / "x") as stream:
            seen.update(name for name in os.listdir(tmp_path) if name != "x")
            stream.write(b"1")
    assert len(seen) == 3
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("command", [["translate", "--in-place"], ["waves", "--fix"]])
def test_a_link_is_not_written_through(tree: Path, command: list[str]) -> None:
    outside = tree.parent / "outside.cu"
    text = KERNEL + "__global__ void k(float *p) { p[0] = __shfl_down_sync(0xffffffff, p[threadIdx.x], 16); }\n"
    outside.write_text(text)
    (tree / "link.cu").symlink_to("../outside.cu")
    done = rewarp(command[0], tree / "link.cu", command[1], "--force", cwd=tree)
    assert done.returncode == 2, done.stdout
    assert "symbolic link" in done.stderr
    assert outside.read_text() == text
    assert not (tree / "rewarp_waves.h").exists()


def test_a_folder_behind_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    refuse_links(tmp_path, ["real/x", "y"])
    refuse_links(tmp_path / "link", ["x"])  # named by the user
    with pytest.raises(UsageError, match="symbolic link"):
        refuse_links(tmp_path, ["link/x"])
    with pytest.raises(UsageError, match="outside"):
        refuse_links(tmp_path / "real", ["../y"])


# --- what is no plain file ------------------------------------------------------------------


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "through")
    reader.join(60)
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_many_files_with_a_pipe_among_them(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_together([NewFile(tmp_path / "pipe", b"one"), NewFile(tmp_path / "plain", b"two")])
    reader.join(60)
    assert got == [b"one"]
    assert (tmp_path / "plain").read_bytes() == b"two"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_name(tree: Path, name: str) -> None:
    """Also where it is a file, which must not be begun anew, and whose name must not be replaced."""
    import json

    before = os.readlink("/dev/stdout")
    with open(tree / "out.json", "w") as stream:
        stream.write("\n")
        stream.flush()
        done = subprocess.run(
            [*REWARP, "scan", "a.py", "--fail-on", "never", "--json", name], cwd=tree, stdout=stream, timeout=300
        )
    assert done.returncode == 0
    text = (tree / "out.json").read_text()
    assert text.startswith("\n{")
    assert json.loads(text)["findings"]
    assert os.readlink("/dev/stdout") == before


def test_a_descriptor_of_the_shell(tree: Path) -> None:
    """``--json >(cmd)``."""
    read, write = os.pipe()
    command = [*REWARP, "scan", "a.py", "-q", "--fail-on", "never", "--json", f"/dev/fd/{write}"]
    done = subprocess.run(command, cwd=tree, pass_fds=[write], capture_output=True, timeout=300)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert stream.read().startswith(b"{")
    assert done.returncode == 0


def test_a_link_among_devices_in_a_stranger_s_folder_is_refused(tree: Path) -> None:
    (tree / "out.json").symlink_to("/dev/full")
    assert "symbolic link" in rewarp("scan", ".", "--json", "out.json", cwd=tree).stderr


# --- what cannot be written -----------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [["scan", "."], ["scan", ".", "--json"], ["explain", "WAV-001"], ["doctor"], ["translate", "k.cu"]]
)
def test_a_full_disk_under_standard_output(tree: Path, arguments: list[str]) -> None:
    (tree / "k.cu").write_text(KERNEL)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*REWARP, *arguments], cwd=tree, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1] == "rewarp: error: cannot write: No space left on device"


def test_a_device_that_is_full(tree: Path) -> None:
    done = rewarp("scan", ".", "--json", "/dev/full", cwd=tree)
    assert done.returncode == 2
    assert "cannot write /dev/full: No space left on device" in done.stderr
    assert stat.S_ISCHR(os.lstat("/dev/full").st_mode)


def test_standard_error_may_be_full_too(tree: Path) -> None:
    with open("/dev/full", "w") as full:
        # What is not buffered is not tried again at exit, which is where it used to go wrong.
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run([*REWARP, "scan", "none"], cwd=tree, stderr=full, timeout=300, env=buffered)
    assert done.returncode == 2


def test_a_reader_that_goes_away_is_no_news(tree: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*REWARP, "scan", "."], cwd=tree, stdout=write, stderr=subprocess.PIPE, timeout=300)
    os.close(write)
    assert done.returncode == 2
    assert done.stderr == b""


@pytest.mark.parametrize(
    "arguments", [["scan", "."], ["scan", ".", "--json"], ["explain", "WAV-001"], ["--help"], ["doctor"]]
)
def test_a_standard_output_that_was_closed(tree: Path, arguments: list[str]) -> None:
    command = f"{shlex.join([*REWARP, *arguments])} >&-"
    done = subprocess.run(["sh", "-c", command], cwd=tree, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == "rewarp: error: cannot write: Bad file descriptor"
    assert "Traceback" not in done.stderr


def test_other_streams_that_were_closed(tree: Path) -> None:
    """Nobody is there to be told; and no file that is opened becomes standard error."""
    (tree / "k.cu").write_text(KERNEL)
    command = f"{shlex.join([*REWARP, 'translate', 'k.cu', '--in-place', '--force', '--json', 'r.json'])} <&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=tree, timeout=300).returncode == 0
    assert "hipMalloc" in (tree / "k.cu").read_text()
    assert (tree / "r.json").read_text().startswith("{")


def test_help_that_cannot_be_written(tree: Path) -> None:
    for arguments in (["--help"], ["--version"], ["scan", "--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*REWARP, *arguments], cwd=tree, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300
            )
        assert (done.returncode, done.stderr) == (2, "rewarp: error: cannot write: No space left on device\n")


def test_two_reports_in_one_file(tree: Path) -> None:
    done = rewarp("scan", ".", "--json", "r", "--html", "./r", cwd=tree)
    assert done.returncode == 2
    assert "two reports" in done.stderr
    assert not (tree / "r").exists()


def test_nothing_is_written_beside_a_pipe(tree: Path) -> None:
    """What HIP lacks comes with a header, for which there is no place beside a device."""
    (tree / "k.cu").write_text("__global__ void k(int *p) { p[0] = __shfl_sync(0xffffffff, p[0], 3); }\n")
    os.mkfifo(tree / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tree / "pipe").read_bytes()))
    reader.start()
    before = sorted(os.listdir(tree))
    done = rewarp("translate", "k.cu", "-o", "pipe", cwd=tree)
    reader.join(60)
    assert done.returncode == 0, done.stderr
    assert b"rewarp_hip.h" in got[0]
    assert sorted(os.listdir(tree)) == before
    assert "--support-header" in done.stderr
    assert rewarp("translate", "k.cu", "-o", "/dev/stdout", cwd=tree).stdout.encode() == got[0]
    assert not os.path.exists("/dev/rewarp_hip.h")
    assert rewarp("translate", ".", "-o", "/dev/null", cwd=tree).returncode == 2


_TERMINATED_WHILE_IT_IS_MADE = """
import os, signal, sys, tempfile
from rewarp.files import temporary_folder

def end(number, frame):
    raise SystemExit(143)

signal.signal(signal.SIGTERM, end)
made = os.mkdir

def made_and_told(*arguments):
    made(*arguments)
    os.kill(os.getpid(), signal.SIGTERM)

tempfile._os.mkdir = made_and_told
with temporary_folder("x-"):
    print("not ended")
"""


def test_sigterm_while_a_temporary_folder_is_made(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TERMINATED_WHILE_IT_IS_MADE]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (143, ""), done.stderr
    assert os.listdir(tmp_path) == []


def test_sigterm_leaves_no_temporary_folders(tree: Path, tmp_path: Path) -> None:
    import signal
    import time

    (tree / "k.cu").write_text(KERNEL * 3)
    place = tmp_path / "temporary"
    place.mkdir()
    process = subprocess.Popen(
        [*REWARP, "verify", "build", "."],
        cwd=tree,
        env={**os.environ, "TMPDIR": str(place), "REWARP_CACHE_DIR": str(tmp_path / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(3000):
        if os.listdir(place) or process.poll() is not None:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    code = process.wait(300)
    assert code in (143, 0, 1)
    assert os.listdir(place) == []


@pytest.mark.parametrize(("limit", "code"), [(1, 2), (1_000, 2), (4_000, 2), (10_000_000, 1)])
def test_a_port_under_a_limit_on_sizes_changes_all_or_nothing(tmp_path: Path, limit: int, code: int) -> None:
    import resource

    tree = tmp_path / "example"
    shutil.copytree(EXAMPLE, tree)
    git = ["git", "-C", str(tree), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *arguments], check=True)
    before = {file: file.read_bytes() for file in sorted(tree.rglob("*")) if file.is_file()}
    done = rewarp(
        *("port", ".", "--in-place", "--no-cache", "-q", "--skip", "8"),
        cwd=tree,
        # Python's own compiled files would be cut as well, and stay so for all who come after.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    after = {file: file.read_bytes() for file in sorted(tree.rglob("*")) if file.is_file()}
    assert done.returncode == code, done.stderr
    assert (before == after) == (code == 2)
    assert ("File too large" in done.stderr) == (code == 2)
    assert "Traceback" not in done.stderr


# --- permissions, failures ------------------------------------------------------------------


def test_permissions_are_kept_and_new_files_get_the_usual_ones(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("1")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write_whole(old, "2")
        write_whole(tmp_path / "new", "2")
        write_together([NewFile(tmp_path / "copy", b"3", old), NewFile(old, b"3")])
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("old", "new", "copy")] == [0o640] * 3


def test_a_failure_half_way_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("before")

    def fail() -> None:
        with replacing(tmp_path / "x") as stream:
            stream.write(b"after")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (tmp_path / "x").read_text() == "before"
    assert os.listdir(tmp_path) == ["x"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it is a folder"):
        write_whole(tmp_path, "x")
