"""Inputs with a meaning of their own: a test and its answer, a mesh, a lattice, a classifier, an instrument's record."""

from __future__ import annotations

import heapq
import random
import struct

import input_formats as fmt


def shortest_paths(_: random.Random) -> tuple[bytes, bytes]:
    """A graph with costs, and the cheapest way from its first node to each."""
    chance = random.Random("shortest paths")
    near = fmt.graph(chance, 1000, 1500)
    costs = {pair: 1 + (min(pair) * 31 + max(pair) * 17) % 50 for pair in fmt.edges(near)}
    best = {0: 0}
    queue = [(0, 0)]
    while queue:
        cost, at = heapq.heappop(queue)
        if cost > best[at]:
            continue
        for other in near[at]:
            through = cost + costs[at, other]
            if through < best.get(other, through + 1):
                best[other] = through
                heapq.heappush(queue, (through, other))
    starts = fmt.table(zip(fmt.offsets(near), map(len, near), strict=False))
    graph = (
        fmt.table([(len(near), len(costs), 0)]) + starts + fmt.table((pair[1], cost) for pair, cost in costs.items())
    )
    return graph, fmt.lines([len(near)]) + fmt.table(sorted(best.items()))


def points_to_image(_: random.Random) -> tuple[bytes, bytes]:
    """A cloud of points, at most one for each pixel, before a camera at the origin, and the image of it."""
    chance = random.Random("points to image")
    size, depth, centre = 16, 5.0, 8.0
    seen = {pixel: chance.uniform(1, 99) for pixel in chance.sample(range(size * size), 100)}
    cloud = b"".join(
        fmt.floats(((at % size - centre) * depth / size, (at // size - centre) * depth / size, depth, 0, light))
        for at, light in seen.items()
    )
    still = [float(row == column) for row in range(4) for column in range(4)]
    camera = [float(size), 0, centre, 0, float(size), centre, 0, 0, 1]
    given = (
        fmt.ints([1, 1, len(seen), 20]) + cloud + fmt.doubles([*still, *camera, *[0.0] * 5]) + fmt.ints([size, size])
    )
    rows = [at // size for at in seen]
    image = b"".join(
        fmt.floats((seen[at], depth * 100, -1.25, 0) if at in seen else (0, 0, 0, 0)) for at in range(size * size)
    )
    return given, fmt.ints([size, size, max(rows), min(rows)]) + image


def classifier(_: random.Random) -> tuple[bytes, bytes]:
    """A cascade of Viola and Jones: stages of two filters, each of them two rectangles in a window of 24."""
    chance = random.Random("classifier")
    numbers = list[int]()
    for _stage in range(3):
        for _filter in range(2):
            x, y, width, height = (chance.randrange(2, 10) for _ in range(4))
            half = max(1, width // 2)
            numbers += [x, y, width, height, -4096, x, y, half, height, 8192, 0, 0, 0, 0, 0, 20, -50, 60]
        numbers.append(-60)
    return fmt.lines([3, 2, 2, 2]), fmt.lines(numbers)


def btree_keys(chance: random.Random) -> bytes:
    keys = list(range(1, 10001))
    chance.shuffle(keys)
    return fmt.lines([len(keys), *keys])


def flow_mesh(chance: random.Random) -> bytes:
    """Elements in a row of a channel: area, and for each of four sides its neighbour (-1: wall, -2: open) and normal."""
    count = 384
    normals = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    rows = []
    for at in range(count):
        around = (at + 2 if at + 1 < count else -2, at if at else -2, -1, -1)
        sides = [part for near, normal in zip(around, normals, strict=True) for part in (near, *normal)]
        rows.append((fmt.number(chance, 0.9, 1.1), *sides))
    return fmt.lines([count]) + fmt.table(rows)


def minimap_calls(chance: random.Random) -> bytes:
    """Chains of anchors: matches between two reads, in order of their place in the first."""
    made = b""
    for _call in range(4):
        x = y = 1000
        anchors = []
        for _anchor in range(300):
            x, y = x + chance.randrange(5, 60), y + chance.randrange(5, 60)
            anchors.append((0, x, 15, y))
        made += fmt.table([(len(anchors), 15.0, 5000, 5000, 500), *anchors]) + b"EOR\n"
    return made


def seismic_traces(chance: random.Random) -> bytes:
    """Seismic Unix: a header of 240 bytes, of which few fields count, and the samples."""
    made = b""
    for at in range(60):
        midpoint, offset = at // 6, at % 6
        head = bytearray(240)
        struct.pack_into("<i", head, 20, midpoint + 1)
        struct.pack_into("<hhiiii", head, 68, 1, 1, midpoint * 10 - offset * 5, 0, midpoint * 10 + offset * 5, 0)
        struct.pack_into("<HH", head, 114, 100, 4000)
        made += bytes(head) + fmt.floats(chance.uniform(-1, 1) for _ in range(100))
    return made


def surfer_grid(chance: random.Random) -> bytes:
    """Depths of the sea off Sumatra, as Surfer's ASCII grid."""
    width, height = 60, 60
    rows = ([fmt.number(chance, -3000, -1000, 1) for _ in range(width)] for _ in range(height))
    return b"DSAA\n" + fmt.table([(width, height), (95, 107), (-10, 2), (-3000, -1000)]) + fmt.table(rows)


def hopping_lattice() -> dict[str, bytes]:
    """A square lattice with one orbital in each cell."""
    hops = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    lattice = [(16, 16, 1), (1, 1, 0, 0), (1, 1, 1), (1, 4), (0, 0, 0), (4,), *((*hop, 0, -1, 0) for hop in hops)]
    wanted = "model 1\nanderson_disorder 1\ncalculate_vac\ncalculate_msd\nnumber_of_random_vectors 1\n"
    return {
        "para.in": f"{wanted}number_of_moments 20\nenergy_max 5.1\n".encode(),
        "lattice.in": fmt.table(lattice),
        "energy.in": fmt.lines([11, *(at / 2 for at in range(-5, 6))]),
        "time_step.in": fmt.lines([3, 0.5, 0.5, 0.5]),
    }


def routing_grid(chance: random.Random) -> bytes:
    """Nets to route, as in the ISPD contest of 2008."""
    layers = " ".join("1" * 4)
    named = ("vertical capacity", "horizontal capacity", "minimum width", "minimum spacing", "via spacing")
    made = ["grid 40 40 4", *(f"{name} {layers}" for name in named), "0 0 10 10", "", "num net 50"]
    for net in range(50):
        pins = chance.randrange(2, 9)
        made += [f"n{net} {net} {pins} 1"]
        made += [f"{chance.randrange(400)} {chance.randrange(400)} 1" for _ in range(pins)]
    return fmt.lines([*made, 0])


def raw_array(chance: random.Random, shape: tuple[int, ...], *, complex_: bool) -> bytes:
    """RawArray: a header of numbers of 8 bytes, and the data."""
    count = 1
    for length in shape:
        count *= length
    data = fmt.floats(chance.random() for _ in range(2 * count)) if complex_ else bytes(chance.choices((0, 1), k=count))
    kind, width = (4, 8) if complex_ else (2, 1)
    return struct.pack("<8s5Q", b"rawarray", 0, kind, width, len(data), len(shape)) + struct.pack(
        f"<{len(shape)}Q", *shape
    ) + data  # fmt: skip


def mersenne_twisters(_: random.Random) -> tuple[bytes, bytes]:
    """Parameters of 4,096 generators, whole and as the few words that the device takes."""
    chance = random.Random("twisters")
    whole = stripped = b""
    for _generator in range(4096):
        matrix, mask_b, mask_c = (chance.getrandbits(32) for _ in range(3))
        whole += struct.pack("<I4i3I4i2Iii", matrix, 9, 19, 13, 32, 0xFFFFFFFF, 0xFFFFE000, 0x1FFF, 12, 18, 7, 15,
                             mask_b, mask_c, 0, 0)  # fmt: skip
        stripped += struct.pack("<4I", matrix, mask_b, mask_c, 0)
    return whole, stripped
