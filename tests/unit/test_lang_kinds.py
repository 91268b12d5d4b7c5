"""Kinds of files by their names."""

from __future__ import annotations

import pytest

from rewarp.lang.kinds import Kind, kind_of_path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("Makefile", Kind.MAKE),
        ("src/Makefile.am", Kind.MAKE),
        ("Makefile-flash", Kind.MAKE),
        ("GNUmakefile", Kind.MAKE),
        ("makefile.cuda", Kind.MAKE),
        ("rules.make", Kind.MAKE),
        ("Makefile.toml", None),
        ("Makefile.md", None),
        ("docs/makefile.py", Kind.PYTHON),
        ("requirements/pyproject-extra.toml", Kind.PYPROJECT),
        ("pyproject.toml", Kind.PYPROJECT),
        ("mypyproject.toml", None),
        ("deploy/cluster.yml.j2", Kind.YAML),
        ("docker-compose.yml.tmpl", Kind.COMPOSE),
        ("Dockerfile.j2", Kind.DOCKERFILE),
        ("run.sh.template", Kind.SHELL),
        ("setup.py.j2", None),
        ("page.html.j2", None),
    ],
)
def test_kind_of_path(path: str, kind: Kind | None) -> None:
    assert kind_of_path(path) is kind
