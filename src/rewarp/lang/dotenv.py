""".env files: NAME=value lines."""

from __future__ import annotations

import re
from functools import cached_property

from rewarp.lang.document import Document, EnvSet
from rewarp.lang.shell import literal
from rewarp.source import Span

_DOTENV = re.compile(rb"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*([^\r\n]*)", re.M)
_DOTENV_COMMENT = re.compile(rb"(?:^|(?<!\s)\s+)#.*")


class DotEnv(Document):
    """A .env file: NAME=value lines."""

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = []
        for m in _DOTENV.finditer(self.source.view):
            raw = m[2].rstrip()
            if not raw.startswith((b"'", b'"')):
                raw = _DOTENV_COMMENT.sub(b"", raw)
            value = literal(raw.decode("utf-8", "replace"))
            found.append(EnvSet(m[1].decode(), value, Span(m.start(1), m.start(2) + len(raw))))
        return found
