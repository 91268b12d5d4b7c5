"""The inputs that `benchmarks/program_inputs.py` makes up: valid, the same each time, never over another's."""

from __future__ import annotations

import importlib
import random
import struct
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def _importable() -> Iterator[None]:
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def inputs() -> ModuleType:
    return importlib.import_module("program_inputs")


@pytest.fixture
def formats() -> ModuleType:
    return importlib.import_module("input_formats")


@pytest.fixture
def cases() -> ModuleType:
    return importlib.import_module("input_cases")


def test_only_where_the_program_is_and_nothing_over_a_file(inputs: ModuleType, tmp_path: Path) -> None:
    for name in ("cc-cuda", "sobel-sycl", "grep-cuda"):
        (tmp_path / name).mkdir()
    mine = tmp_path / "cc-cuda/delaunay_n24.egr"
    mine.write_bytes(b"mine")
    wrote, kept = inputs.write(tmp_path)
    assert (sorted(wrote), kept) == (
        ["grep-cuda/testcases/lines.txt", "sobel-sycl/SobelFilter_Input.bmp"],
        ["cc-cuda/delaunay_n24.egr"],
    )
    assert mine.read_bytes() == b"mine"
    before = [(tmp_path / name).read_bytes() for name in wrote]
    for name in wrote:
        (tmp_path / name).unlink()
    inputs.write(tmp_path)
    assert before == [(tmp_path / name).read_bytes() for name in wrote]


def test_every_name_is_below_a_program_and_nothing_is_both_made_and_not(inputs: ModuleType) -> None:
    names = [Path(name) for name in inputs.inputs()]
    assert all(len(name.parts) > 1 and not name.is_absolute() and ".." not in name.parts for name in names)
    made = {name.parts[0].rpartition("-")[0] for name in names}
    assert not made & set(inputs.CANNOT)


def test_a_bitmap_holds_what_its_header_says(formats: ModuleType) -> None:
    data = formats.bitmap(random.Random(1), 16, 8)
    magic, size, offset = struct.unpack_from("<2sI4xI", data)
    width, height, bits = struct.unpack_from("<4xii2xH", data, 14)
    assert (magic, size, width, height, bits) == (b"BM", len(data), 16, 8, 24)
    assert len(data) - offset == 16 * 8 * 3


def test_an_ecl_graph_leads_both_ways_with_the_same_weight(formats: ModuleType) -> None:
    data = array("i", formats.ecl_graph(random.Random(1), 50, 100))
    nodes, count = data[:2]
    begins, near, weights = data[2 : nodes + 3], data[nodes + 3 : nodes + 3 + count], data[nodes + 3 + count :]
    assert (begins[0], begins[-1], len(weights)) == (0, count, count)
    found = {(node, near[at]): weights[at] for node in range(nodes) for at in range(begins[node], begins[node + 1])}
    assert len(found) == count
    assert all(found[other, one] == weight > 0 for (one, other), weight in found.items())


def test_a_matrix_has_the_entries_that_it_announces_once_each(formats: ModuleType) -> None:
    head, sizes, *rows = formats.matrix_market(random.Random(1), 30, 40).decode().splitlines()
    assert head == "%%MatrixMarket matrix coordinate real general"
    assert sizes.split() == ["30", "30", str(len(rows))]
    assert len({tuple(row.split()[:2]) for row in rows}) == len(rows)


def test_the_cheapest_ways_are_cheapest(cases: ModuleType) -> None:
    graph, answer = cases.shortest_paths(random.Random(1))
    numbers = list(map(int, graph.split()))
    nodes, count, source = numbers[:3]
    starts, pairs = numbers[3 : 3 + 2 * nodes], numbers[3 + 2 * nodes :]
    cost = list(map(int, answer.split()))[2::2]
    assert (len(pairs), len(cost), cost[source]) == (2 * count, nodes, 0)
    reached = {source}
    for node in range(nodes):
        begin, degree = starts[2 * node : 2 * node + 2]
        for at in range(begin, begin + degree):
            other, length = pairs[2 * at : 2 * at + 2]
            assert cost[other] <= cost[node] + length
            if cost[other] == cost[node] + length:
                reached.add(other)
    assert len(reached) == nodes


def test_the_image_shows_the_cloud(cases: ModuleType) -> None:
    given, image = cases.points_to_image(random.Random(1))
    tests, rows, columns, step = struct.unpack_from("<4i", given)
    size = struct.unpack_from("<4i", image)[0]
    values = array("f", image[16:])
    assert (tests, rows, step) == (1, 1, 20)
    for at in range(columns):
        x, y, z, _, light = struct.unpack_from("<5f", given, 16 + at * step)
        pixel = round(size * y / z + 8) * size + round(size * x / z + 8)
        assert values[4 * pixel : 4 * pixel + 2] == array("f", [light, z * 100])
    assert sum(value != 0 for value in values[::4]) == columns
