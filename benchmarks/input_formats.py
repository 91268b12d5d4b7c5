"""Small files in the formats that programs of a corpus read: pictures, graphs, matrices, sequences, tables, arrays."""

from __future__ import annotations

import random
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence

DNA, RNA, PROTEIN = "ACGT", "ACGU", "ACDEFGHIKLMNPQRSTVWY"
PROSE = (
    "the quick brown fox jumps over the lazy dog while seven old wizards brew a potion that turns lead into gold and "
    "sings to the moon about rivers of stone where no one has ever been and nothing that was lost can be found again "
    "but for those who look with patience under every leaf and ask the wind for the name of the hidden road"
)


# --- text -----------------------------------------------------------------------------------------------------------


def lines(rows: Iterable[object]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def table(rows: Iterable[Sequence[object]], separator: str = " ") -> bytes:
    return lines(separator.join(map(str, row)) for row in rows)


def number(chance: random.Random, low: float, high: float, digits: int = 4) -> float:
    return round(chance.uniform(low, high), digits)


def points(chance: random.Random, count: int, *ranges: tuple[float, float]) -> list[tuple[float, ...]]:
    return [tuple(number(chance, low, high) for low, high in ranges) for _ in range(count)]


def words(chance: random.Random, count: int) -> Iterator[str]:
    known = PROSE.split()
    return (chance.choice(known) for _ in range(count))


# --- arrays ---------------------------------------------------------------------------------------------------------


def floats(values: Iterable[float]) -> bytes:
    return array("f", values).tobytes()


def ints(values: Iterable[int]) -> bytes:
    return array("i", values).tobytes()


def doubles(values: Iterable[float]) -> bytes:
    return array("d", values).tobytes()


# --- pictures -------------------------------------------------------------------------------------------------------


def pixels(chance: random.Random, width: int, height: int, channels: int = 1) -> bytes:
    """A smooth slope with a bright rectangle and some noise: edges to find, and nothing that is flat."""
    return bytes(
        min(255, (2 * x + 3 * y + 40 * channel) % 160 + chance.randrange(16) + 60 * (width // 3 < x < width // 2 > y))
        for y in range(height)
        for x in range(width)
        for channel in range(channels)
    )


def bitmap(chance: random.Random, width: int, height: int) -> bytes:
    """BMP of 24 bits; a width that is a multiple of 4 needs no padding."""
    data = pixels(chance, width, height, 3)
    head = struct.pack("<2sIHHI", b"BM", 54 + len(data), 0, 0, 54)
    return head + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(data), 2835, 2835, 0, 0) + data


def ppm(chance: random.Random, width: int, height: int) -> bytes:
    return b"P6\n%d %d\n255\n" % (width, height) + pixels(chance, width, height, 3)


def pgm(chance: random.Random, width: int, height: int) -> bytes:
    return b"P5\n%d %d\n255\n" % (width, height) + pixels(chance, width, height)


def radiance_text(chance: random.Random, width: int, height: int) -> bytes:
    """Width, height, and four numbers for each pixel."""
    rows = ((*(number(chance, 0.01, 4) for _ in range(3)), 1.0) for _ in range(width * height))
    return table([(width, height)]) + table(rows)


def mnist_images(chance: random.Random, count: int) -> bytes:
    return struct.pack(">4i", 2051, count, 28, 28) + b"".join(pixels(chance, 28, 28) for _ in range(count))


def mnist_labels(chance: random.Random, count: int) -> bytes:
    return struct.pack(">2i", 2049, count) + bytes(chance.randrange(10) for _ in range(count))


# --- graphs and matrices --------------------------------------------------------------------------------------------


def graph(chance: random.Random, nodes: int, more: int, parts: int = 1) -> list[list[int]]:
    """Neighbours of each node, both ways: as many rings as there are parts, each with some chords."""
    found: list[set[int]] = [set() for _ in range(nodes)]
    size = nodes // parts
    pairs = [(node, node + 1 if (node + 1) % size else node + 1 - size) for node in range(size * parts)]
    for _ in range(more):
        first = size * chance.randrange(parts)
        pairs.append((first + chance.randrange(size), first + chance.randrange(size)))
    for one, other in pairs:
        if one != other:
            found[one].add(other)
            found[other].add(one)
    return [sorted(near) for near in found]


def edges(near: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    return [(one, other) for one, found in enumerate(near) for other in found]


def offsets(near: Sequence[Sequence[int]]) -> list[int]:
    found = [0]
    for row in near:
        found.append(found[-1] + len(row))
    return found


def ecl_graph(chance: random.Random, nodes: int, more: int, parts: int = 1) -> bytes:
    """ECL's binary format: counts, where each node's neighbours begin, the neighbours, the weights of the edges."""
    near = graph(chance, nodes, more, parts)
    pairs = edges(near)
    weights = (1 + (min(pair) * 31 + max(pair) * 17) % 99 for pair in pairs)
    return ints([nodes, len(pairs), *offsets(near), *(other for _, other in pairs), *weights])


def rodinia_graph(chance: random.Random, nodes: int, more: int) -> bytes:
    near = graph(chance, nodes, more)
    begins = table(zip(offsets(near), map(len, near), strict=False))
    pairs = edges(near)
    return lines([nodes]) + begins + lines([0, len(pairs)]) + table((other, 1 + other % 9) for _, other in pairs)


def metis_graph(chance: random.Random, nodes: int, more: int) -> bytes:
    near = graph(chance, nodes, more)
    return table([(nodes, len(edges(near)) // 2)]) + table([other + 1 for other in found] for found in near)


def matrix_market(chance: random.Random, size: int, more: int) -> bytes:
    """A real general matrix in which the diagonal outweighs the rest."""
    near = graph(chance, size, more)
    rows = [(one + 1, other + 1, number(chance, -1, 1)) for one, other in edges(near)]
    rows += [(at + 1, at + 1, float(len(near[at]) + 2)) for at in range(size)]
    return b"%%MatrixMarket matrix coordinate real general\n" + table([(size, size, len(rows)), *sorted(rows)])


# --- sequences ------------------------------------------------------------------------------------------------------


def sequence(chance: random.Random, letters: str, length: int) -> str:
    return "".join(chance.choices(letters, k=length))


def mutated(chance: random.Random, text: str, letters: str, rate: float = 0.05) -> str:
    return "".join(chance.choice(letters) if chance.random() < rate else letter for letter in text)


def fasta(sequences: Iterable[str]) -> bytes:
    return lines(line for at, text in enumerate(sequences) for line in (f">sequence {at}", text))


def fastq(chance: random.Random, count: int, length: int) -> bytes:
    reads = (sequence(chance, DNA, length) for _ in range(count))
    return lines(line for at, read in enumerate(reads) for line in (f"@read{at}", read, "+", "I" * length))
