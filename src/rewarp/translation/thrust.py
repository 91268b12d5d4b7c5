"""Thrust's algorithms, each from its own header: NVIDIA's headers bring one another in ways that rocThrust's do not."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Replacement
from rewarp.translation.lexing import Lexed

# What most of rocThrust's headers bring anyway (fill, for_each, generate, replace, transform, zip_iterator) is left out.
_NAMES_BY_HEADER = {
    "adjacent_difference": "adjacent_difference",
    "binary_search": "lower_bound upper_bound binary_search equal_range",
    "complex": "complex",
    "copy": "copy copy_n copy_if",
    "count": "count count_if",
    "equal": "equal",
    "execution_policy": "device host seq",
    "extrema": "min_element max_element minmax_element",
    "find": "find find_if find_if_not",
    "gather": "gather gather_if",
    "inner_product": "inner_product",
    "iterator/constant_iterator": "constant_iterator make_constant_iterator",
    "iterator/counting_iterator": "counting_iterator make_counting_iterator",
    "iterator/discard_iterator": "discard_iterator make_discard_iterator",
    "iterator/permutation_iterator": "permutation_iterator make_permutation_iterator",
    "iterator/transform_iterator": "transform_iterator make_transform_iterator",
    "logical": "all_of any_of none_of",
    "merge": "merge merge_by_key",
    "partition": "partition partition_copy stable_partition stable_partition_copy",
    "reduce": "reduce reduce_by_key",
    "remove": "remove remove_if remove_copy remove_copy_if",
    "reverse": "reverse reverse_copy",
    "scan": "inclusive_scan exclusive_scan inclusive_scan_by_key exclusive_scan_by_key",
    "scatter": "scatter scatter_if",
    "sequence": "sequence",
    "set_operations": "set_union set_intersection set_difference set_symmetric_difference",
    "sort": "sort sort_by_key stable_sort stable_sort_by_key is_sorted is_sorted_until",
    "tabulate": "tabulate",
    "transform_reduce": "transform_reduce",
    "transform_scan": "transform_inclusive_scan transform_exclusive_scan",
    "unique": "unique unique_by_key unique_copy unique_by_key_copy",
}
_HEADERS = {name.encode(): header.encode() for header, names in _NAMES_BY_HEADER.items() for name in names.split()}
_USED = re.compile(rb"thrust(?<!\wthrust)\s*::\s*(\w+)")
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]thrust/([\w/]+)\.h[>\"][^\r\n]*(\r?\n|\Z)", re.M)


_LINE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"][^\r\n]*(\r?\n)", re.M)
_INSIDE = re.compile(rb"^[ \t]*#[ \t]*if|\{", re.M)


def includes_of(view: bytes) -> set[bytes]:
    """The headers of Thrust's that a file includes."""
    return {match[1] for match in _INCLUDE.finditer(view)}


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    includes_it = b"thrust/" in lexed.vocabulary or bool(options.project.thrust_headers)
    return includes_it and b"thrust::" in view and b"hip/hip_runtime" not in view


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Includes the headers of the algorithms that a file uses, after the first one of Thrust's that it includes; after its
    first include, if it leaves Thrust to the project's headers."""
    view = document.source.view
    first = _INCLUDE.search(view)
    others = options.project.thrust_headers.get(document.source.path, frozenset())
    if first is None and others:
        first = _LINE.search(view)
        first = first if first and not _INSIDE.search(document.code, 0, first.start()) else None
    newline = first[first.re.groups] if first else b""
    if first is None or not newline:
        return Changes()
    used = {_HEADERS[name] for name in _USED.findall(document.code) if name in _HEADERS}
    missing = sorted(used - includes_of(view) - others)
    lines = b"".join(b"#include <thrust/" + header + b".h>" + newline for header in missing)
    return Changes([Replacement(first.end(), first.end(), lines)] if missing else [])
