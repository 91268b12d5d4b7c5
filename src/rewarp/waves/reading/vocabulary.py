"""The words that mean lanes: CUDA's warp functions and the names that programs give to a warp's size, lanes and masks."""

from __future__ import annotations

import re

SYNC_NAMES = frozenset(
    b"__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __match_any_sync "
    b"__match_all_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync "
    b"__reduce_xor_sync __syncwarp __shfl __shfl_up __shfl_down __shfl_xor __ballot __any __all __activemask".split()
)
INTRINSIC = re.compile(rb"_(?<!\w_)_(?:shfl|ballot|any|all|activemask|match_a|reduce_|syncwarp|lane)\w*")
LANE_CALL = re.compile(rb"ane_?[iI]d(?=\s*\(\s*\))")
SHUFFLE = re.compile(rb"__shfl(?:_up|_down|_xor)?(?:_sync)?")
TAKES_MASK = re.compile(
    rb"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_any|match_all|reduce_(?:add|min|max|and|or|xor))_sync|__syncwarp"
)
WHOLE_WARP = re.compile(
    rb"__ballot(?:_sync)?|__activemask|__match_(?:any|all)_sync|__(?:any|all)(?:_sync)?|__reduce_\w+_sync|__syncwarp|__lane_id"
    rb"|__lanemask_\w+|\w*[lL]ane_?[iI]d"
)
"""What always sees the hardware's whole wave."""
VOTE_CALL = re.compile(
    rb"(?:_(?<!\w_)_(?:ballot(?:_sync)?|activemask|match_(?:any|all)_sync)|(?<!\w)ballot|(?<!\w)ballot_sync"
    rb"|\b\w*(?:[wW]arp|WARP|WAVE|wave)\w*(?:[bB]allot|BALLOT)\w*|(?<!\w)BALLOT(?:_SYNC)?|(?<!\w)(?:ACTIVE_?MASK|active_?[mM]ask))\s*\("
)
VOTE_WORDS = (b"allot", b"BALLOT", b"ctivemask", b"ctive_mask", b"ctiveMask", b"ACTIVE", b"__match_")
BIT_CALL = re.compile(
    rb"\b((?:std::|\w+::)?(?:__|__builtin_|_)?(?:popc|popcount|POPC|POPCOUNT|ffs|FFS|clz|CLZ|ctz|brev|BREV|fns))\s*\("
)
WIDER = {b"__popc": "__popcll", b"__ffs": "__ffsll", b"__clz": "__clzll", b"__brev": "__brevll"}

SHUFFLE_HELPER = re.compile(rb"(?!__shfl|rewarp_warp32_)\w*(?:[sS]hfl|SHFL|[sS]huffle|SHUFFLE)\w*")
WARP_HELPER = re.compile(
    rb"(?i)(?!rewarp_warp32_)\w*(?:warp|wave|subgroup)_?(?:\w*_)?(?:all_?)?(?:reduce|scan|sum|max|min|prefix|shuffle|broadcast|inclusive|exclusive"
    rb"|arg|sort|vote|ballot|any|select|aggregate|norm|softmax)\w*"
)
"""Functions of a project that work on a warp, by their names."""
WARP_OF_32 = b"rewarp_warp32_"
"""How the names begin that rewarp's own header gives to functions on warps of 32 lanes, whatever the wave's width."""
MATRIX_CLASS = re.compile(rb"\bwmma\s*::|\bnvcuda\b|\bmma_sync\b")
"""Matrix fragments, which a warp holds together."""
WAVE_CLASS = re.compile(rb"roc(?<!\wroc)(?:prim\s*::\s*warp_\w+|wmma\s*::)")
"""AMD's own classes, which work on whole waves."""

_SIZE = (
    rb"(?:WARP_?SIZE|[wW]arp_?[sS]ize|WARP_?WIDTH|[wW]arp_?[wW]idth|WARP_?THREADS|[wW]arp_?[tT]hreads|WARP_?LENGTH"
    rb"|WARP_?SZ|[wW]arp_?sz|THREADS_?(?:PER|IN)_?(?:A_?)?WARP|[tT]hreads?_?(?:[pP]er|[iI]n)_?[wW]arp"
    rb"|LANES_PER_WARP|[lL]anes_?[pP]er_?[wW]arp|THREAD_PER_WARP|NUM_?LANES|[nN]um_?[lL]anes|WARP_?DIM|[wW]arp_?[dD]im"
    rb"|N_?LANES|[wW]arp_?[lL]anes|WARP_?LANES|WAVE_?SIZE|[wW]ave_?[sS]ize|[wW]avefront_?[sS]ize|WAVEFRONT_?SIZE)"
)
WIDTH_NAME = re.compile(
    rb"(?!(?i:\w*(?:logical|sub_?warp|virtual|tile|group_?|half)))(?:k|_|[a-zA-Z]\w*_|k[A-Z]\w*|[a-z][a-zA-Z0-9]*(?=[WTL]))?"
    + _SIZE
    + rb"(?:_?[cC][uU][dD][aA]|_T|_V|_v|_)?|k?LANES|kLanes"
)
"""A name for the number of lanes in a warp."""
PLATFORM_WIDTHS = frozenset(
    (b"warpSize", b"C10_WARP_SIZE", b"C10_WARP_SIZE_UPPER_BOUND", b"WARP_SIZE_UPPER_BOUND", b"HIPCUB_WARP_THREADS")
)
"""Names that already have the hardware's value."""
HALF_NAME = re.compile(rb"(?i)\w*half_?warp(?:_?size)?")
SHIFT_NAME = re.compile(
    rb"(?i)\w*(?:log2?_?(?:of_?|num_?)?warp_?(?:size|threads)?|warp_?(?:size_?)?(?:log2?|(?:bit_?)?shift|bits)|warp_size_bits)"
)
MASK_NAME = re.compile(
    rb"(?i)\w*(?:full|all|warp|final|active|lanes?)_?(?:warp_?|lanes?_?|active_?)?masks?(?:_?[a-z0-9]*)?"
)
BALLOT_NAME = re.compile(rb"(?i)\w*(?:ballot|votes|(?:active|lane|warp|peer)_?mask|peers)\w*")
"""A name for one bit a lane."""
LANE_NAME = re.compile(
    rb"(?:\w*_|[a-z]\w*)?(?:[lL]ane|LANE)(?:_?(?:[iI][dD][xX]?|[iI]ndex|INDEX|x|_in_warp|_|s))?|\w*[lL]aneI[dD]x?|lid|wtid|\w*thread_?in_?warp\w*|warp_?(?:thread|tid)(?:_?[iI]dx?)?",
)
WARP_ID_NAME = re.compile(
    rb"(?i)(?:\w*_)?warp_?(?:id|idx|index|num|no|_n|rank|x)?|wid|\w*warp_?id(?:[xs]|_in_\w+)?|\w+warp"
)
WARP_COUNT_NAME = re.compile(
    rb"(?i)(?:k|num_|n_|max_)?(?:num_?)?n?_?warps?(?:_?(?:per_?(?:block|cta)|num|count|total|[mnkxyz]))?|\w*warps(?:_per_\w+)?"
)
"""A name for how many warps there are."""
THREAD_NAME = re.compile(
    rb"(?i)(?:tid|thread_?(?:id|idx|index|rank)\w*|local_?tid|tidx|thid|tix|\w+_tid|idx_in_block|t_?id_?x?)"
)
ABOUT_WARPS = re.compile(rb"(?i)warp|\blanes?\b|lane_?id|wavefront")
"""A line or a name that says what its numbers are about."""

ALL_ONES = (
    rb"0[xX](?:[fF]'?){8}|~\s*0|-\s*1|4294967295|UINT32_MAX|UINT_MAX"
    rb"|(?:unsigned(?:\s+int)?|(?:std::)?uint32_t|uint|(?:u32)|static_cast\s*<\s*(?:unsigned(?:\s+int)?|(?:std::)?uint32_t|uint)\s*>)"
    rb"\s*[({]\s*(?:-\s*1|~\s*0[uU]?|0[xX][fF]{8}[uU]?)\s*[)}]"
)
NARROW_CAST = rb"(?:\(\s*(?:unsigned|unsigned\s+int|uint32_t|int|uint)\s*\)\s*)?"
NARROW_MASK = re.compile(
    NARROW_CAST + rb"\(?\s*(?:" + ALL_ONES + rb"|0[xX][0-9a-fA-F]{1,8}|\d{1,10})[uU]?(?![lL\w'])\s*\)?"
)
ALL_LANES = re.compile(NARROW_CAST + rb"\(?\s{0,100}(?:" + ALL_ONES + rb")[uU]?(?![lL\w'])\s{0,100}\)?")


class Words:
    """Words of which a text may hold one. A search for what begins with one plain byte jumps from each to the next."""

    def __init__(self, *words: bytes) -> None:
        groups: dict[bytes, list[bytes]] = {}
        for word in words:
            groups.setdefault(word[:1], []).append(re.escape(word))
        self._patterns = [re.compile(b"|".join(group)) for group in groups.values()]

    def any_in(self, text: bytes) -> bool:
        return any(pattern.search(text) for pattern in self._patterns)


CUDA_WORDS = Words(
    *(b"__device__", b"__global__", b"threadIdx", b"__shfl", b"__ballot", b"hip/hip", b"<<<"),
    *(b"coalesced_threads", b"__syncthreads", b"blockIdx", b"cuda_runtime"),
)
GPU_WORDS = Words(b"cuda", b"/gpu/", b"GPU", b"arpSize", b"WARP_SIZE")
"""Code of other machines has lanes and warps as well: vector units, images, looms."""
OTHER_PLATFORMS = Words(b"sycl", b"vulkan", b"cl_kernel", b"webgpu", b"metal", b"MTLDevice", b"hexagon")
"""Other ways to program a GPU: a file that has one of these and none of CUDA's words is none of ours."""
TRIGGERS = (
    *(
        b"arp",
        b"ARP",
        b"hfl",
        b"HFL",
        b"huffle",
        b"HUFFLE",
        b"allot",
        b"BALLOT",
        b"__any",
        b"__all",
        b"activemask",
        b"__match_",
        b"__reduce_",
    ),
    *(b"aneid", b"aneId", b"lane", b"LANE", b"coalesced_threads", b"meta_group", b"WMMA", b"wmma"),
)
"""A function without any of these is not looked at, unless it calls one that has."""
WAITS = (
    b"(atomicCAS(",
    b"(atomicExch(",
    b"!atomicCAS(",
    b"= atomicCAS(",
    b"= atomicExch(",
    b"Idx.x < 32)",
    b"Idx.x >= 32)",
)
"""Marks of locks, and of branches for the first warp."""
MARKS = Words(*TRIGGERS, b", 32>>>", b"+ 32]", b"+32]", b"+= 32", b"/32)*", b"/ 32) *", *WAITS)
"""A file without any of these is not looked at: no pass through it can find a lane. The last are marks of lockstep, of
block sizes and of bytes for each warp that come without a word of warps."""
WIDTH = rb"(?:\w+::)*(?P<width>32[uU]?(?:\.0?f?)?|[A-Za-z_]\w*)(?![\w.])"
"""32, or a name; whether the name means a warp's size is asked afterwards, which saves a pattern for each file."""


def is_width(text: bytes, widths: frozenset[bytes]) -> bool:
    return text[:2] == b"32" or text in widths
