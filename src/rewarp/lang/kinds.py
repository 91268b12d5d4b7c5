"""Which language a file is in, by its name and, failing that, its first line."""

from __future__ import annotations

import re
from enum import Enum


class Kind(str, Enum):
    PYTHON = "python"
    NOTEBOOK = "notebook"
    CUDA = "cuda"
    CPP = "c++"
    RUST = "rust"
    CMAKE = "cmake"
    MAKE = "make"
    SHELL = "shell"
    DOTENV = "dotenv"
    DOCKERFILE = "dockerfile"
    COMPOSE = "compose"
    ACTIONS = "github-actions"
    YAML = "yaml"
    CONDA = "conda"
    REQUIREMENTS = "requirements"
    PYPROJECT = "pyproject"
    SETUP_CFG = "setup.cfg"
    CARGO = "cargo"


PYTHON_KINDS = (Kind.PYTHON, Kind.NOTEBOOK)
CPP_KINDS = (Kind.CUDA, Kind.CPP)
COMMAND_KINDS = (
    *PYTHON_KINDS,
    *(Kind.SHELL, Kind.DOCKERFILE, Kind.MAKE, Kind.CMAKE, Kind.COMPOSE, Kind.ACTIONS, Kind.YAML),
)
"""Every kind of file that can run a command."""

_BY_SUFFIX = {
    ".py": Kind.PYTHON,
    ".pyi": Kind.PYTHON,
    ".ipynb": Kind.NOTEBOOK,
    ".cu": Kind.CUDA,
    ".cuh": Kind.CUDA,
    ".hip": Kind.CUDA,
    ".c": Kind.CPP,
    ".cc": Kind.CPP,
    ".cpp": Kind.CPP,
    ".cxx": Kind.CPP,
    ".h": Kind.CPP,
    ".hh": Kind.CPP,
    ".hpp": Kind.CPP,
    ".hxx": Kind.CPP,
    ".inl": Kind.CPP,
    ".inc": Kind.CPP,
    ".rs": Kind.RUST,
    ".cmake": Kind.CMAKE,
    ".mk": Kind.MAKE,
    ".mak": Kind.MAKE,
    ".sh": Kind.SHELL,
    ".bash": Kind.SHELL,
    ".zsh": Kind.SHELL,
    ".slurm": Kind.SHELL,
    ".sbatch": Kind.SHELL,
    ".pbs": Kind.SHELL,
    ".env": Kind.DOTENV,
    ".envrc": Kind.DOTENV,
    ".dockerfile": Kind.DOCKERFILE,
    ".containerfile": Kind.DOCKERFILE,
    ".yml": Kind.YAML,
    ".yaml": Kind.YAML,
}
_BY_NAME = {
    "cmakelists.txt": Kind.CMAKE,
    "pipfile": Kind.PYPROJECT,
    "uv.toml": Kind.PYPROJECT,
    "pixi.toml": Kind.PYPROJECT,
    "setup.cfg": Kind.SETUP_CFG,
    "tox.ini": Kind.SETUP_CFG,
    "cargo.toml": Kind.CARGO,
    ".env": Kind.DOTENV,
    ".envrc": Kind.DOTENV,
}
_REQUIREMENTS = re.compile(
    r"(?i)(^|/)([^/]*(requirements|constraints)[^/]*\.(txt|in)|requirements/([^/]+/)*[^/]+\.(txt|in))$"
)
_DOCKERFILE = re.compile(
    r"(?i)(^|/)(Dockerfile|Containerfile)([-_][\w-]+)?(\.(?!md$|txt$|png$|svg$|rst$|py$)[\w.-]+)?$"
)
_MAKEFILE = re.compile(r"(?:gnu)?makefile(?:[-_.](?!\w*\.?(?:md|txt|toml|rst|py)$)[\w.-]+)?|[\w.-]+\.(?:make|makefile)")
_PYPROJECT = re.compile(r"pyproject(?:[-_.][\w.-]+)?\.toml")
_TEMPLATE = re.compile(r"(?i)\.(?:j2|jinja2?|tmpl|tpl|template)$")
_TEMPLATED = frozenset(
    {Kind.SHELL, Kind.DOTENV, Kind.DOCKERFILE, Kind.COMPOSE, Kind.ACTIONS, Kind.YAML, Kind.CONDA, Kind.MAKE}
)
"""Kinds read line by line, so that what a template engine fills in does not hinder."""
_COMPOSE = re.compile(r"(?i)(^|/)(docker-)?compose[^/]*\.ya?ml$")
_ACTIONS = re.compile(r"(^|/)(\.github/(workflows|actions)/.*|action)\.ya?ml$")
_CONDA = re.compile(r"(?i)(^|/)((conda[^/]*/)?(meta|recipe)|[^/]*(environment|conda)[^/]*|env)\.ya?ml$")
_SHEBANG = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(python|pypy|bash|sh|zsh|dash|ksh)[\d.]*\b")


def kind_of_path(path: str) -> Kind | None:
    """The kind of a file by its path alone; None when the name does not tell, and for copies that an editor made of
    others: nothing reads them."""
    if ".ipynb_checkpoints/" in path:
        return None
    template = _TEMPLATE.search(path)
    if template:
        kind = kind_of_path(path[: template.start()])
        return kind if kind in _TEMPLATED else None
    name = path.rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if _MAKEFILE.fullmatch(name):
        return Kind.MAKE
    if _PYPROJECT.fullmatch(name):
        return Kind.PYPROJECT
    if name.endswith(".dockerignore"):
        return None
    dot = name.rfind(".")
    suffix = name[dot:] if dot >= 0 else ""
    if suffix in (".txt", ".in"):
        return Kind.REQUIREMENTS if _REQUIREMENTS.search(path) else None
    kind = _BY_SUFFIX.get(suffix)
    if kind is Kind.YAML:
        if _ACTIONS.search(path):
            return Kind.ACTIONS
        if _COMPOSE.search(path):
            return Kind.COMPOSE
        if _CONDA.search(path):
            return Kind.CONDA
    if kind is None and (_DOCKERFILE.search(path)):
        return Kind.DOCKERFILE
    if kind is None and name.startswith(".env."):
        return Kind.DOTENV
    return kind


def kind_of_shebang(head: bytes) -> Kind | None:
    """The kind of a file without a telling name, by its first bytes."""
    match = _SHEBANG.match(head)
    if not match:
        return None
    return Kind.PYTHON if match[1] in (b"python", b"pypy") else Kind.SHELL


def may_have_shebang(path: str) -> bool:
    """Whether reading the first bytes is worth it: only names without an extension."""
    return "." not in path.rpartition("/")[2]
