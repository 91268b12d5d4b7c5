"""Those parts of vLLM that decide about keys, taken from its source distribution: no vLLM need be installed.

``vllm/utils/hashing.py`` is used as it is. Of ``kv_cache_utils.py`` and ``torch_utils.py``, which import the whole engine,
the statements that make NONE_HASH and the table of cache types are taken out by name.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import re
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

_TRIES = 3
_INDEX = "https://pypi.org/simple/vllm/"
VERSIONS = {
    "0.28.0": "ac96dd0ec5be9c13f2aa4bfb50498c4727110406f6e4980b58a4097e4d18634a",
    "0.32.0": "d2c957d5eee3d0985012151315ddc62cbe0cd368fc96a5fc3510438d9dddf2ad",
}
"""The distributions and their SHA-256."""
_HASHING = "vllm/utils/hashing.py"
_NONE_HASH = "vllm/v1/core/kv_cache_utils.py"
_TYPES = "vllm/utils/torch_utils.py"
_PRELUDE = {
    _NONE_HASH: "import logging, os\nfrom collections.abc import Callable\nfrom typing import Any, NewType\n"
    "from vllm.utils.hashing import *\nfrom vllm.utils.hashing import sha256_cbor, xxhash, xxhash_cbor\n"
    "logger = logging.getLogger(__name__)\n",
    _TYPES: "import torch\n",
}
_WANTED = {
    _NONE_HASH: (
        *("BlockHash", "NONE_HASH", "DEFAULT_NONE_HASH_SEED", "_NON_CRYPTO_HASH_FUNCTIONS", "_NONE_HASH_SEED"),
        *("_CBOR_HASH_FUNCTIONS", "resolve_none_hash_seed", "init_none_hash"),
    ),
    _TYPES: ("STR_DTYPE_TO_TORCH_DTYPE",),
}


def fetch(version: str, folder: Path) -> Path:
    """A folder to put on PYTHONPATH, with the parts of that version."""
    package = folder / version
    if package.exists():
        return package
    with _opened(_INDEX) as answer:
        link = re.search(rf'href="([^"]*/vllm-{re.escape(version)}\.tar\.gz)[#"]', answer.read().decode())
        assert link, f"no source distribution of vllm {version}"
        address = urljoin(answer.url, link[1])
    with _opened(address) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != VERSIONS[version]:
        raise ValueError(f"vllm {version}: not the distribution that was looked at")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        write(_sources(version, data), Path(made) / version)
        with contextlib.suppress(OSError):  # another process was first
            (Path(made) / version).rename(package)
    return package


def _opened(address: str) -> Any:
    """A package index may be busy."""
    for left in reversed(range(_TRIES)):
        try:
            return urllib.request.urlopen(address, timeout=120)
        except OSError:
            if not left:
                raise
            time.sleep(5)
    raise AssertionError


def _sources(version: str, data: bytes) -> dict[str, str]:
    wanted = {f"vllm-{version}/{name}": name for name in (_HASHING, _NONE_HASH, _TYPES)}
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.name in wanted:
                file = archive.extractfile(member)
                assert file
                found[wanted[member.name]] = file.read().decode()
    return found


def write(sources: dict[str, str], package: Path) -> None:
    for name, text in sources.items():
        file = package / name
        file.parent.mkdir(parents=True, exist_ok=True)
        for folder in (file.parent, *file.parent.parents):
            if folder == package:
                break
            (folder / "__init__.py").touch()
        file.write_text(_PRELUDE[name] + taken(text, _WANTED[name]) if name in _WANTED else text)


def taken(text: str, names: tuple[str, ...]) -> str:
    """The statements of a module that define these names."""
    kept = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            defined = {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign):
            defined = {node.target.id} if isinstance(node.target, ast.Name) else set()
        else:
            defined = {getattr(node, "name", "")}
        if defined & set(names):
            kept.append(ast.unparse(node))
    return "\n".join(kept) + "\n"
