"""Members of CUDA's cooperative groups that HIP's do not have: the newer names for the size of a group are HIP's older ones,
the others are told."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import NO_TWIN

_LIBRARY = "cooperative_groups"
_SAME = {b"num_threads": b"size", b"dim_threads": b"group_dim"}
_GROUP = re.compile(
    rb"\b(?:thread_group|thread_block|grid_group|coalesced_group|thread_block_tile\s*<[^;{}()]*?>)\s*[&\s]\s*(?P<name>\w+)\s*[=;,({)]"
    rb"|\bauto\s*&?\s*(?P<made>\w+)\s*=\s*[\w:\s]*\b(?:this_thread_block|this_grid|coalesced_threads|(?:tiled|labeled|binary)_partition)\b"
)
# In a header that leaves the namespace's other name to its includers: `cg::thread_block_tile<32>`.
_SCOPED = re.compile(rb"\w\s*::\s*(thread_block_tile\s*<|coalesced_group\b|grid_group\b|thread_block\b)")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if _GROUP.search(view) is None:
        return False
    return b"cooperative_groups" in lexed.vocabulary or _SCOPED.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Looks at what is asked of the variables that the file itself declares as groups."""
    changes = Changes()
    code = document.code
    groups = {match["name"] or match["made"] for match in _GROUP.finditer(code)}
    if not groups:
        return changes
    used = re.compile(
        rb"(?<![\w.>])(?:" + b"|".join(map(re.escape, sorted(groups))) + rb")\s*\.\s*(?P<member>\w+)(?=\s*[(<])"
    )
    for match in used.finditer(code):
        name = match["member"]
        if twin := _SAME.get(name):
            changes.replacements.append(Replacement(*match.span("member"), twin))
            continue
        member = cuda.member(_LIBRARY, name)
        if member and member.status == "unsupported":
            message = f"HIP's cooperative groups have no {name.decode()}"
            where = Span(*match.span("member"))
            changes.problems.append(
                Problem(NO_TWIN, where, "unsupported", message, f"{_sentence(member.note)}.", name.decode())
            )
    return changes


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
