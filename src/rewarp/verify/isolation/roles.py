"""What part a file plays in what an NVIDIA user builds, installs or runs."""

from __future__ import annotations

import re
from enum import Enum

from rewarp.lang.kinds import Kind, kind_of_path


class Role(Enum):
    C = "C, C++ or CUDA"
    PYTHON = "Python"
    CMAKE = "CMake"
    MAKE = "Make"
    DOCKERFILE = "Dockerfile"
    REQUIREMENTS = "requirements"
    PYPROJECT = "pyproject.toml"
    CARGO = "Cargo.toml"
    DOCUMENTATION = "documentation"
    CI = "continuous integration"
    DEVELOPMENT = "development tools"
    OTHER = "another kind of file"


C_SUFFIXES = frozenset(
    ".cu .cuh .c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .inl .inc .ipp .tpp .tcc .impl .def .hip .cppm .ixx".split()
)
HEADER_SUFFIXES = frozenset(".cuh .h .hh .hpp .hxx .h++ .inl .inc .ipp .tpp .tcc .impl .def".split())
_CI = re.compile(
    r"^(\.github/(workflows|actions|ISSUE_TEMPLATE|scripts)/|\.buildkite/|\.circleci/|\.jenkins/|\.gitlab/|\.azure-pipelines/)"
    r"|^(\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|Jenkinsfile|\.readthedocs\.ya?ml|codecov\.yml)$"
    r"|^\.github/[^/]+\.(ya?ml|md)$|(^|/)CODEOWNERS$"
)
_DEVELOPMENT = re.compile(
    r"(^|/)(\.gitignore|\.clang-format|\.clang-tidy|\.editorconfig|\.pre-commit-config\.yaml|\.flake8|\.pylintrc|"
    r"\.mailmap|\.git-blame-ignore-revs|\.typos\.toml|_typos\.toml|\.lintrunner\.toml)$"
)
_DOCUMENTATION = re.compile(
    r"^(docs?|documentation)/.*\.(mdx?|rst|png|jpe?g|svg|gif|txt|css|html|mmd|drawio|pdf)$"
    r"|^(README|CHANGELOG|CHANGES|HISTORY|CONTRIBUTING|INSTALL|LICENSE|NOTICE|AUTHORS|SECURITY|CODE_OF_CONDUCT|COPYING)"
    r"[-_\w]*(\.(mdx?|rst|txt|html|adoc|cff|amd|rocm|nvidia))?$|\.(md|rst)$|(^|/)README\.org$",
    re.I,
)
_KINDS = {
    Kind.PYTHON: Role.PYTHON,
    Kind.CMAKE: Role.CMAKE,
    Kind.MAKE: Role.MAKE,
    Kind.DOCKERFILE: Role.DOCKERFILE,
    Kind.REQUIREMENTS: Role.REQUIREMENTS,
    Kind.CARGO: Role.CARGO,
}
_OF_AMD = re.compile(r"(?i)(^|[^a-z])(rocm|hip|amd|amdgpu|hipify|mi\d{3}x?|gfx\d+\w*)([^a-z]|$)")


def role_of(path: str) -> Role:
    """By its path alone."""
    if _CI.search(path):
        return Role.CI
    if _DEVELOPMENT.search(path):
        return Role.DEVELOPMENT
    if suffix(path) in C_SUFFIXES:
        return Role.C
    kind = kind_of_path(path)
    if path.rpartition("/")[2] == "pyproject.toml":
        return Role.PYPROJECT
    if kind in _KINDS:
        return _KINDS[kind]
    return Role.DOCUMENTATION if _DOCUMENTATION.search(path) else Role.OTHER


_BUILD_FILE = re.compile(
    r"(^|/)(setup\.py|CMakeLists\.txt|.*\.cmake(\.in)?|(GNU)?[Mm]akefile(\.\w+)?|.*\.mk|build\.rs|meson\.build|BUILD(\.bazel)?|"
    r".*\.bzl|BUCK|TARGETS|SConstruct|SConscript|wscript|_?build\.py|op_builder/.*\.py)$"
)


def is_build_file(path: str) -> bool:
    """Whether reading folders is most likely a way to collect sources there."""
    return bool(_BUILD_FILE.search(path))


def suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def says_amd(path: str) -> bool:
    """The path itself says that it is for AMD: ``docker/Dockerfile.rocm``, ``csrc/rocm/attention.cu``."""
    return bool(_OF_AMD.search(path))


_AMD_NAME = re.compile(
    r"(?:[A-Z0-9]+_)*(?:HIP[A-Z0-9]*|ROCM|ROCWMMA|AMD(?:GPU|GCN|GFX)?|[RC]DNA\d*|GCN\d+|GFX\d{2,}\w?)(?:_[A-Za-z0-9]+)*_*"
)
_NOT_AMD_ALONE = re.compile(
    r"(?:^|_)(?:NO|NOT|NON|NEITHER|WITHOUT|DIS(?:ABLE|ALLOW)\w*|SKIP\w*|EXCLUD\w*|ABSENT|MISSING|LACK\w*|UN[A-Z]+|FREE|LESS|OFF|FALSE"
    r"|OR|AND|BOTH|ANY|ALL|COMMON|SHARED|GENERIC|COMPAT\w*|PORTABLE|CUDA\w*|CU|NV\w*|CPU|ZEN\d*|EPYC|RYZEN|X86|X64|SEV)(?:_|$)"
    r"|HIPPO|HIPSTER",
    re.I,
)


def names_amd(name: str) -> bool:
    """A macro or switch whose name says that it is for AMD alone: ``USE_ROCM``, not ``NO_HIP``."""
    return bool(_AMD_NAME.fullmatch(name)) and not _NOT_AMD_ALONE.search(name)
