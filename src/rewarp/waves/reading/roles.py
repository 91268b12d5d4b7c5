"""What the values of one function mean: thread numbers, lanes, warp numbers, ballots and masks, followed through assignments."""

from __future__ import annotations

import re
from functools import cached_property

from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.cub_warps import Lanes, WarpClass, warp_classes
from rewarp.waves.reading.shuffles import Shuffle, shuffles
from rewarp.waves.reading.thread_arguments import thread_parameters
from rewarp.waves.reading.values import Values
from rewarp.waves.reading.vocabulary import (
    LANE_NAME,
    MATRIX_CLASS,
    TAKES_MASK,
    THREAD_NAME,
    VOTE_CALL,
    WARP_ID_NAME,
    WARP_OF_32,
    WAVE_CLASS,
    WHOLE_WARP,
)

_THREAD = re.compile(rb"\bthreadIdx\s*\.\s*[xyz]\b|\bthread_rank\s*\(\s*\)|\bget_local_id\b")
_GRID = re.compile(rb"\bblockIdx\b|\bblock_index\b|\bgridDim\b")
_READS = re.compile(
    rb"\[|\b(?!threadIdx|blockIdx|blockDim|int|unsigned|uint32_t|size_t|static_cast|thread_rank)[A-Za-z_]\w*\s*\("
)
_BLOCK_SIZE = re.compile(rb"blockDim\s*\.\s*x(?:\s*\*\s*blockDim\s*\.\s*y)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LANE_READ = re.compile(rb"(?i)\b(?:__lane_id|lane_?id|get_?lane_?id|laneid|get_lane)\s*\(\s*\)")
_BELOW_32 = re.compile(rb"\(?(?P<of>[\w.\s]+?)\s*(?:&\s*(?:31|0[xX]1[fF])|%\s*32)[uU]?\)?")
_LOW_ENDS = (b"31", b"32", b"1f", b"1F")
_FIRST_BIT = re.compile(rb"\s*__ffs(?:ll)?\s*\([^;]*\)\s*-\s*1\s*\Z")
_TILE = re.compile(
    rb"\b(?:tiled_partition|thread_block_tile)\s*<\s*(?:(?P<size>\d+)|(?:\w+\s*::\s*)*(?P<name>[A-Za-z_]\w*))\s*[,>]"
    rb"|\btiled_partition\s*\((?:[^()]|\([^()]*\))*,\s*(?P<given>\d+)\s*\)"
)
_LARGEST_TILE = 32
"""Of those that CUDA can vote and shuffle in: a size that has a name is no larger."""
_BITS = re.compile(rb"[&|^~](?![&|])|<<|>>")
_BIT_OF = re.compile(rb"\(?\s*1[uU]?\s*<<\s*\(?\s*([A-Za-z_]\w*)\s*\)?\s*\)?")
_WRAPPED = re.compile(rb"\w\s*\(|[!=<>]=|\?|!")
_BY_WARP_SIZE = re.compile(rb"[%/]\s*warpSize\b|&\s*\(\s*warpSize\s*-\s*1\s*\)")
_COMPARED = re.compile(rb"\s*(?:[!=<>]=|>>|[<>](?![<>])|\?|&&|\|\|)")


def _is_whole(text: bytes, thread: re.Match[bytes]) -> bool:
    """Whether a thread's number counts for itself: four times it is the number of an item."""
    return text[thread.end() :].lstrip()[:1] != b"*" and text[: thread.start()].rstrip()[-1:] != b"*"


class Roles(Values):
    """One function, with what its names stand for."""

    # --- what is meant --------------------------------------------------------------

    @cached_property
    def threads(self) -> frozenset[bytes]:
        """Names for the number of a thread in its block."""
        passed = thread_parameters(self.code).get(self.start, set())
        words = (b"hread", b"tid", b"thid", b"tix", *self.names.threads)
        if not passed and not any(word in self.text for word in words):
            return frozenset()
        found = {name for name in self.declared if THREAD_NAME.fullmatch(name)} | passed | self.names.threads
        found.add(b"tid")  # a macro may declare it
        for name, _, value in self.assigned:
            text = self.code.slice(value)
            if self._from_thread(text, found) and not _GRID.search(text):
                found.add(name)
        return frozenset(found)

    @cached_property
    def block_sizes(self) -> frozenset[bytes]:
        """Names for the number of threads in a block."""
        if b"blockDim" not in self.text:
            return frozenset()
        return frozenset(
            name for name, _, value in self.assigned if _BLOCK_SIZE.fullmatch(self.code.slice(value).strip())
        )

    @cached_property
    def grid_threads(self) -> frozenset[bytes]:
        """Names for the number of a thread in the grid."""
        if b"blockIdx" not in self.text and b"gridDim" not in self.text and b"block_index" not in self.text:
            return frozenset()
        found: set[bytes] = set()
        for name, _, value in self.assigned:
            text = self.code.slice(value)
            if _GRID.search(text) and self._from_thread(text, set(self.threads)):
                found.add(name)
        return frozenset(found)

    @staticmethod
    def _from_thread(text: bytes, known: set[bytes]) -> bool:
        if b"hread" not in text and b"get_local_id" not in text and known.isdisjoint(_WORD.findall(text)):
            return False
        found = [*_THREAD.finditer(text), *(match for match in _WORD.finditer(text) if match[0] in known)]
        if not any(_is_whole(text, match) for match in found):
            return False
        return not _READS.search(text) or _THREAD.fullmatch(text.strip()) is not None

    def is_thread(self, text: bytes) -> bool:
        """Whether an expression is a thread's number in its block."""
        return (
            self._from_thread(text, set(self.threads))
            and not _GRID.search(text)
            and self.grid_threads.isdisjoint(_WORD.findall(text))
        )

    def is_grid_thread(self, text: bytes) -> bool:
        if _READS.search(text):
            return False
        return bool(_GRID.search(text) and _THREAD.search(text)) or not self.grid_threads.isdisjoint(
            _WORD.findall(text)
        )

    @cached_property
    def lanes(self) -> frozenset[bytes]:
        """Names for the number of a lane in its warp."""
        if not any(word in self.text for word in (b"ane", b"lid", b"wtid", b"__ffs")):
            return frozenset()
        found = {
            name for name in (*self.declared, *(name for name, _, _ in self.assigned)) if LANE_NAME.fullmatch(name)
        }
        for name, where, value in self.assigned:
            text = self.code.slice(value)
            if self.code.text[where.end : value.start].strip() not in (b"=", b"{"):
                continue  # lane + what was there before
            if _LANE_READ.search(text) or text.strip() in found or (_FIRST_BIT.match(text) and self.is_ballot(text)):
                found.add(name)
        return frozenset(found)

    @cached_property
    def lane_parameters(self) -> frozenset[bytes]:
        """Parameters that are the number of a lane by their names; ``lanes`` is how many."""
        return frozenset(
            name
            for name in self.parameters
            if LANE_NAME.fullmatch(name.strip(b"_")) and not name.endswith((b"s", b"S"))
        )

    @cached_property
    def has_named_lanes(self) -> bool:
        """Whether the function's own names say which number is a lane's or a warp's."""
        return any(LANE_NAME.fullmatch(name) or WARP_ID_NAME.fullmatch(name) for name, _, _ in self.assigned)

    @cached_property
    def lane_values(self) -> frozenset[bytes]:
        """Names for what is left of a thread's number below 32, whatever they are called: lanes in a function on warps."""
        found: set[bytes] = set()
        for name, _, value in self.assigned:
            text = self.code.slice(value)
            below = _BELOW_32.fullmatch(text.strip()) if text.rstrip(b" )uU")[-2:] in _LOW_ENDS else None
            if below and self.is_thread(below["of"]):
                found.add(name)
        return frozenset(found)

    def is_lane(self, text: bytes) -> bool:
        text = text.strip(b" ()\t\n")
        return text in self.lanes or bool(LANE_NAME.fullmatch(text)) or bool(_LANE_READ.fullmatch(text))

    @cached_property
    def sources(self) -> frozenset[bytes]:
        """Names for the lane that a shuffle takes a value from, whatever they are called: ``__shfl(v, i)``."""
        return frozenset(self.code.slice(shuffle.operands[1]) for shuffle in self.shuffles if shuffle.is_from_lane)

    @cached_property
    def gathered(self) -> frozenset[bytes]:
        """Names for a set of lanes that is put together bit by bit: ``peers |= 1u << i``."""
        found = set()
        for name, where, value in self.assigned if self.sources else ():
            bit = _BIT_OF.fullmatch(self.code.slice(value).strip())
            if bit and bit[1] in self.sources and self.code.text[where.end : value.start].strip() == b"|=":
                found.add(name)
        return frozenset(found)

    @cached_property
    def ballots(self) -> frozenset[bytes]:
        """Names for the result of a vote over the warp, or a set of lanes: one bit a lane."""
        if not self.has_votes and not self.gathered:
            return frozenset()
        found = set(self.gathered)
        for _ in range(2):
            for name, _, value in self.assigned:
                text = self.code.slice(value)
                if self.votes(text) or (
                    (_BITS.search(text) or text.strip() in found)
                    and not found.isdisjoint(_WORD.findall(text))
                    and not _READS.search(text)
                ):
                    found.add(name)
        return frozenset(found)

    def votes(self, text: bytes) -> bool:
        """Whether the value of an expression is a ballot: not what a function makes of one."""
        match = VOTE_CALL.search(text)
        if match is None or _WRAPPED.search(text[: match.start()]):
            return False
        return not _COMPARED.match(text, closing(text, match.end() - 1))

    def is_ballot(self, text: bytes) -> bool:
        """Whether an expression holds a ballot."""
        return bool(VOTE_CALL.search(text)) or not self.ballots.isdisjoint(_WORD.findall(text))

    @cached_property
    def masks(self) -> frozenset[bytes]:
        """Names that are handed to a warp function as its mask."""
        found = (self.code.arguments(at) for _, _, at in self.code.calls(TAKES_MASK, self.start, self.end))
        return frozenset(self.code.slice(given[0]) for given in found if given)

    # --- what works on warps --------------------------------------------------------

    @cached_property
    def shuffles(self) -> list[Shuffle]:
        return list(shuffles(self.code, self.names, self.start, self.end))

    @cached_property
    def tile(self) -> int:
        """The size of the cooperative-groups tile that the function works in; 0 without one."""
        groups = b"tiled_partition" in self.text or b"thread_block_tile" in self.text
        match = _TILE.search(self.text) if groups else None
        if match is None or match["name"] in self.names.portable:
            return 0
        return _LARGEST_TILE if match["name"] else int(match["size"] or match["given"])

    @cached_property
    def sees_whole_warp(self) -> bool:
        """Whether something in the function spans the hardware's wave."""
        if any(not shuffle.has_width for shuffle in self.shuffles):
            return True
        if any(WHOLE_WARP.fullmatch(name) for _, name in self._intrinsics):
            return True
        if b"mma" in self.text and (MATRIX_CLASS.search(self.text) or WAVE_CLASS.search(self.text)):
            return True
        return b"arp" in self.text and (
            WAVE_CLASS.search(self.text) is not None or any(used.lanes is not Lanes.GIVEN for used in self._classes)
        )

    @property
    def uses_wave_class(self) -> bool:
        """Whether it names a library's warp class that is as wide as the wave, and stays so."""
        return WAVE_CLASS.search(self.text) is not None or any(used.stays_wide for used in self._classes)

    @property
    def _classes(self) -> list[WarpClass]:
        return [used for used in warp_classes(self.code.text) if self.start <= used.where.start < self.end]

    @cached_property
    def _intrinsics(self) -> list[tuple[int, bytes]]:
        return self.code.intrinsics_in(self.start, self.end)

    @cached_property
    def asks_width(self) -> bool:
        """Whether the function works with the hardware's width, though nothing may pass between its lanes."""
        return b"warpSize" in self.text

    @cached_property
    def warp_helpers(self) -> frozenset[bytes]:
        """Functions called here whose names say that they work on a warp."""
        return frozenset(name for _, name in self.code.warp_calls_in(self.function.body))

    @property
    def calls_warp_code(self) -> bool:
        return bool(self.warp_helpers)

    @cached_property
    def has_votes(self) -> bool:
        return self.code.has_votes(self.start, self.end)

    @cached_property
    def has_sync(self) -> bool:
        return any(TAKES_MASK.fullmatch(name) for _, name in self._intrinsics)

    @cached_property
    def keeps_to_32(self) -> bool:
        """Whether the function works in logical warps of 32: shuffles of a given width or a tile, and nothing wider."""
        narrow = all(shuffle.has_width for shuffle in self.shuffles) and bool(self.shuffles or WARP_OF_32 in self.text)
        return (narrow or 0 < self.tile <= 32) and not self.sees_whole_warp and not self.mixes_widths

    @cached_property
    def mixes_widths(self) -> bool:
        """Whether values go among 32 lanes while lanes or warps are told apart by the hardware's width."""
        narrow = any(self.code.slice(shuffle.operands[2]) == b"32" for shuffle in self.shuffles if shuffle.has_width)
        if not narrow:
            return False
        others = self.names.hardware - {b"warpSize"}
        return not others.isdisjoint(_WORD.findall(self.text)) or (
            self.asks_width and _BY_WARP_SIZE.search(self.text) is not None
        )
