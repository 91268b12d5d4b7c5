"""Git folders of public repositories, and their commits as folders to scan. Fetches nothing."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def git_folder(mirrors: Path, repository: str) -> Path:
    """OWNER+NAME/repo, OWNER+NAME.git or OWNER+NAME, whichever is there."""
    name = repository.replace("/", "+")
    ways = (mirrors / name / "repo" / ".git", mirrors / name / "repo", mirrors / f"{name}.git", mirrors / name / ".git")
    return next((way for way in ways if (way / "HEAD").exists()), ways[2])


@contextmanager
def exported(mirrors: Path, repository: str, commit: str) -> Iterator[Path | None]:
    """A folder with the files of a commit; None where the mirror does not have it."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) if _write(git_folder(mirrors, repository), commit, Path(folder)) else None


def _write(git: Path, commit: str, folder: Path) -> bool:
    """Writes a commit's files, but those that the copy of the repository does not hold: mirrors leave out the largest."""
    command = ["git", "--git-dir", str(git)]
    listing = subprocess.run([*command, "ls-tree", "-rz", commit], capture_output=True, text=True)
    if listing.returncode:
        return False
    # mode SP type SP object TAB path
    entries = [entry.split(None, 3) for entry in listing.stdout.split("\0") if entry]
    asked = "".join(f"{entry[2]}\n" for entry in entries)
    held = subprocess.run([*command, "cat-file", "--batch-check"], input=asked, capture_output=True, text=True)
    missing = [
        entry[3]
        for entry, answer in zip(entries, held.stdout.splitlines(), strict=True)
        if entry[1] == "blob" and answer.endswith(" missing")
    ]
    left_out = [f":(exclude,literal){path}" for path in missing]
    archive = subprocess.run([*command, "archive", commit, "--", ".", *left_out], capture_output=True)
    if archive.returncode:
        return False
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        # Plain files and folders: a link that leads out of the tree must not be written, and a scan follows none.
        # By hand, since Debian 12's Python has no filters yet.
        tar.extractall(
            folder, [member for member in tar if (member.isfile() or member.isdir()) and _is_inside(member.name)]
        )
    return True


def _is_inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")
