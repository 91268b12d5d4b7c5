"""Inputs for HeCBench's programs whose own are kept elsewhere: small, valid, the same each time.

    python benchmarks/program_inputs.py HECBENCH/src

Many run lines name files that the repository does not bring (kept by DVC, or made by a tool). This writes files of the
same format in their place, never over one that exists, and lists what it wrote and what it cannot make. The numbers in
them are made up: a program that compares its results with its own computation on the host still checks something, one
that compares with a file of results does so only where the file could be computed here (`points_to_image`,
`shortest_paths`).
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
from collections.abc import Callable
from pathlib import Path

import input_formats as fmt
from input_cases import (
    btree_keys,
    classifier,
    flow_mesh,
    hopping_lattice,
    mersenne_twisters,
    minimap_calls,
    points_to_image,
    raw_array,
    routing_grid,
    seismic_traces,
    shortest_paths,
    surfer_grid,
)

Maker = Callable[[random.Random], bytes]
CANNOT = {
    "axhelm": "its own BLAS library is not there",
    "ced": "frames of a film, and the edges that are expected in them",
    "diamond": "a database in DIAMOND's own format",
    "egs": "tables of materials that another program computes",
    "frna": "thermodynamic tables",
    "halo-finder": "needs MPI",
    "heartwall": "a film in which there is a heart at given places",
    "leukocyte": "a film, and the library meschach is not there",
    "logic-resim": "a netlist and its waveforms",
    "logic-rewrite": "a circuit in AIGER's format, and its run line is a script of its own",
    "mf-sgd": "its data and the script that starts it",
    "multimaterial": "50 million volume fractions, and arrays of 16 GB",
    "prna": "thermodynamic tables",
    "sad": "a header of its source is in the archive",
    "seam-carving": "a header of its source is in the archive",
    "slu": "a solver in an archive is part of its source",
    "snicit": "trained networks",
    "testSNAP": "reference data is part of its source",
    "tsne": "60,000 neighbours of each of 60,000 points, whose count is fixed",
    "xlqc": "basis sets",
}
"""What is not made, and why, by program."""


def _images() -> dict[str, Maker]:
    bitmaps = ("urng-sycl/URNG_Input.bmp", "sobel-sycl/SobelFilter_Input.bmp")
    return {
        **dict.fromkeys(bitmaps, lambda chance: fmt.bitmap(chance, 64, 64)),
        "recursiveGaussian-cuda/StoneRGB.ppm": lambda chance: fmt.ppm(chance, 128, 64),
        "medianfilter-sycl/data/SierrasRGB.ppm": lambda chance: fmt.ppm(chance, 128, 64),
        "tonemapping-sycl/input.hdr": lambda chance: fmt.radiance_text(chance, 64, 64),
        "face-cuda/Face.pgm": lambda chance: fmt.pgm(chance, 64, 64),
        "face-cuda/info.txt": lambda chance: classifier(chance)[0],
        "face-cuda/class.txt": lambda chance: classifier(chance)[1],
        "mnist-cuda/data/train-images.idx3-ubyte": lambda chance: fmt.mnist_images(chance, 20),
        "mnist-cuda/data/train-labels.idx1-ubyte": lambda chance: fmt.mnist_labels(chance, 20),
        "mnist-cuda/data/t10k-images.idx3-ubyte": lambda chance: fmt.mnist_images(chance, 10),
        "mnist-cuda/data/t10k-labels.idx1-ubyte": lambda chance: fmt.mnist_labels(chance, 10),
        "hogbom-cuda/data/dirty_4096.img": lambda chance: fmt.floats(chance.uniform(-1, 1) for _ in range(64 * 64)),
        "hogbom-cuda/data/psf_4096.img": lambda chance: fmt.floats(
            1 / (1 + (x - 32) ** 2 + (y - 32) ** 2) for y in range(64) for x in range(64)
        ),
    }


def _graphs() -> dict[str, Maker]:
    return {
        "cc-cuda/delaunay_n24.egr": lambda chance: fmt.ecl_graph(chance, 2000, 4000, parts=8),
        "floydwarshall2-cuda/CollegeMsg.egr": lambda chance: fmt.ecl_graph(chance, 150, 600),
        "data/bfs/graph1MW_6.txt": lambda chance: fmt.rodinia_graph(chance, 2000, 4000),
        "hbc-cuda/graphs/breast_coexpress.txt": lambda chance: fmt.metis_graph(chance, 200, 400),
        "lanczos-cuda/data/social-large-800k.txt": lambda chance: fmt.table(fmt.edges(fmt.graph(chance, 10000, 20000))),
        "graphB+-cuda/graph.csv": lambda chance: (
            b"From Node ID,To Node ID,Edge Weight\n"
            + fmt.table(
                ((one, other, chance.choice((-1, 1))) for one, other in _once(fmt.graph(chance, 300, 600))), ","
            )
        ),
        "ge-spmm-cuda/data/snap/amazon0302/amazon0302.mtx": lambda chance: fmt.matrix_market(chance, 500, 1500),
        **_each("bicgstab-{}/TEM27623/TEM27623_M.mtx", lambda chance: fmt.matrix_market(chance, 400, 800)),
        **_each("sssp-{}/input/NYR_input.dat", lambda chance: shortest_paths(chance)[0]),
        **_each("sssp-{}/output/NYR_bfs.out", lambda chance: shortest_paths(chance)[1]),
        "bmf-cuda/data/MNIST.in": lambda chance: fmt.table(
            [(128, 96, 1536), *((at % 128, at * 7 % 96) for at in range(1536))]
        ),
        **_each("mmcsf-{}/output.tns", _tensor),
    }


def _sequences() -> dict[str, Maker]:
    return {
        "bsw-cuda/test-data/protein-reference.fasta": lambda chance: fmt.fasta(_proteins(0.0)),
        "bsw-cuda/test-data/protein-query.fasta": lambda chance: fmt.fasta(_proteins(0.2)),
        "deredundancy-sycl/testData.fasta": lambda chance: fmt.fasta(
            fmt.mutated(chance, fmt.sequence(random.Random(at // 4), fmt.DNA, 300), fmt.DNA, 0.03) for at in range(40)
        ),
        "snake-cuda/Datasets/ERR240727_1_E2_30000Pairs.txt": lambda chance: fmt.table(_pairs(chance, 30000, 100), "\t"),
        "logan-cuda/inputs/100k.txt": lambda chance: fmt.table(_seeded(chance), "\t"),
        "sa-cuda/genome.txt": lambda chance: fmt.sequence(chance, fmt.DNA, 1_000_000).encode(),
        "minimap2-sycl/in-1k.txt": minimap_calls,
        **_each("gerbil-{}/ERR164407.fastq.gz", lambda chance: gzip.compress(fmt.fastq(chance, 500, 100), mtime=0)),
        "ss-sycl/StringSearch_Input.txt": lambda chance: _prose(chance, 10000, "clEnqueueNDRangeKernel"),
        **_each("word2vec-{}/text8", lambda chance: _prose(chance, 20000)),
        "columnarSolver-cuda/data": _bigrams,
        "grep-cuda/testcases/lines.txt": lambda chance: fmt.lines([*fmt.words(chance, 500), "ROMEO", "JULIET"]),
        "bitcracker-cuda/hash_pass/img_win8_user_hash.txt": _bitlocker,
        "bitcracker-cuda/hash_pass/user_passwords_60000.txt": lambda chance: fmt.lines(
            fmt.sequence(chance, "abcdefgh0123", 10) for _ in range(64)
        ),
    }


def _tables() -> dict[str, Maker]:
    random_points = (f"tpacf-cuda/data/small/{name}" for name in _sky_files())
    return {
        "gibbs-cuda/data.csv": lambda chance: fmt.table(
            (chance.randrange(1, 9), fmt.number(chance, 1, 9)) for _ in range(256)
        ),
        "geodesic-sycl/locations.txt": _cities,
        "geodesic-cuda/locations.txt": _cities,
        "lr-sycl/assets/temperature.txt": lambda chance: fmt.table(
            ((x, round(0.5 * x + 3 + chance.gauss(0, 1), 3)) for x, _ in fmt.points(chance, 96453, (-20, 40), (0, 1))),
            "\t",
        ),
        "meanshift-cuda/dataset/data.csv": lambda chance: fmt.table(_around(chance, 10000), ","),
        "meanshift-cuda/dataset/centroids.csv": lambda chance: fmt.table(_CENTRES, ","),
        "svd3x3-cuda/Dataset_1M.txt": lambda chance: (
            fmt.lines([20000]) + fmt.table(fmt.points(chance, 20000, *[(-1, 1)] * 9))
        ),
        **{name: (lambda chance: fmt.table(fmt.points(chance, 2048, (0, 360), (-80, 80)))) for name in random_points},
        **_each("gmm-{}/data", lambda chance: b"a,b,c,d\n" + fmt.table(fmt.points(chance, 256, *[(0, 10)] * 4), ",")),
        "ccs-cuda/Data_Constant_100_1_bicluster.txt": lambda chance: fmt.table(
            [["id", *(f"s{at}" for at in range(20))], *((f"g{at}", *_level(chance, at)) for at in range(100))], "\t"
        ),
        **_each("clink-{}/input.hpp", lambda chance: fmt.lines(chance.uniform(-1, 1) for _ in range(20000))),
        **_each("clink-{}/weight_1.hpp", lambda chance: fmt.lines(chance.uniform(-1, 1) for _ in range(146))),
        **_each("clink-{}/weight_2.hpp", lambda chance: fmt.lines(chance.uniform(-1, 1) for _ in range(146))),
        "henry-cuda/IRMOF-1.cssr": lambda chance: (
            b"25.8 25.8 25.8\n90 90 90\n8 0\nmade up\n"
            + fmt.table(
                (at + 1, "Zn O C H".split()[at % 4], *xyz) for at, xyz in enumerate(fmt.points(chance, 8, *_CUBE))
            )
        ),
        "data/kmeans/kdd_cup": lambda chance: fmt.table(
            (at, *row) for at, row in enumerate(fmt.points(chance, 1000, *_CUBE))
        ),
        "data/hotspot/temp_512": lambda chance: fmt.lines(fmt.number(chance, 320, 340, 1) for _ in range(512 * 512)),
        "data/hotspot/power_512": lambda chance: fmt.lines(fmt.number(chance, 0, 1, 3) for _ in range(512 * 512)),
        "data/hotspot3D/temp_512x8": lambda chance: fmt.lines(fmt.number(chance, 320, 340, 1) for _ in range(2 << 20)),
        "data/hotspot3D/power_512x8": lambda chance: fmt.lines(fmt.number(chance, 0, 1, 1) for _ in range(2 << 20)),
        "data/b+tree/mil.txt": btree_keys,
        "data/b+tree/command.txt": lambda chance: b"j 60 30\nk 100\n",
        "data/cfd/fvcorr.domn.097K": flow_mesh,
        **{
            f"data/nn/cane4_{at}.db": lambda chance: fmt.lines(
                f"{'1950 1 1 0 1 NAME':<28}{lat:5.1f}{lng:5.1f}{'100 100':>10}"
                for lat, lng in fmt.points(chance, 500, (7, 70), (9, 99))
            )
            for at in range(4)
        },
        **_each(
            "d2q9-bgk-{}/Inputs/input_256x256.params", lambda chance: fmt.lines([128, 16, 20, 16, 0.1, 0.005, 1.7])
        ),
        **_each(
            "d2q9-bgk-{}/Obstacles/obstacles_256x256.dat",
            lambda chance: fmt.table((x, y, 1) for x in range(128) for y in (0, 15)),
        ),
        **_each(
            "cm-{}/queries/made_up.sig", lambda chance: fmt.table((f"gene{at}", (-1) ** at) for at in range(1, 21))
        ),
        **_each("cm-{}/Results/.made", lambda chance: b""),
        **{
            name: maker
            for drug in "abc"
            for name, maker in _each(f"cm-{{}}/reffiles-tab/drug{drug}_1_line_1.tab", _regulation).items()
        },
    }


def _arrays() -> dict[str, Maker]:
    deck = "minibude-sycl/data/bm1/"
    return {
        "mpc-cuda/msg_sp.trace.out": lambda chance: fmt.doubles(
            1 + at / 512 + chance.random() / 64 for at in range(8192)
        ),
        "permutate-cuda/test_data/truerand_1bit.bin": lambda chance: bytes(chance.choices((0, 1), k=1_000_000)),
        "lzss-cuda/QCLOUDf48.bin.f32.errctrl.1e-3": lambda chance: fmt.ints(chance.choices(range(500, 516), k=1 << 15)),
        "mriQ-cuda/datasets/128x128x128/input/128x128x128.bin": lambda chance: (
            fmt.ints([64, 1024]) + fmt.floats(chance.uniform(-1, 1) for _ in range(3 * 64 + 3 * 1024 + 2 * 64))
        ),
        **{
            f"voxelization-cuda/data/test/{name}.bin": lambda chance: fmt.floats(
                value
                for row in fmt.points(chance, 1000, (-50, 50), (-50, 50), (-4, 2), (0, 1), (0, 1))
                for value in row
            )
            for name in ("291e7331922541cea98122b607d24831", "3615d82e7e8546fea5f181157f42e30b")
        },
        **{f"{deck}{name}.in": _atoms(count) for name, count in _ATOMS.items()},
        f"{deck}forcefield.in": lambda chance: b"".join(
            fmt.ints([kind]) + fmt.floats((1.5, 0.2 * kind, 0.5)) for kind in range(4)
        ),
        f"{deck}poses.in": lambda chance: fmt.floats(chance.uniform(-3, 3) for _ in range(6 << 16)),
        # No energies are known: the difference that the program prints means nothing.
        f"{deck}ref_energies.out": lambda chance: fmt.lines(["1.0"] * (1 << 16)),
        "cmp-cuda/data/simple-synthetic.su": seismic_traces,
        "daphne-cuda/data/p2i_input.dat": lambda chance: points_to_image(chance)[0],
        "daphne-cuda/data/p2i_output.dat": lambda chance: points_to_image(chance)[1],
        "easyWave-omp/data/grids/e2Asean.grd": surfer_grid,
        "lsqt-cuda/examples/input.txt": lambda chance: b"../lsqt-cuda/examples/lattice\n",
        **{f"lsqt-cuda/examples/lattice/{name}": _text(text) for name, text in hopping_lattice().items()},
        "rsmt-cuda/newblue7.kraftwerk70.3d.80.20.82.m8.gr": routing_grid,
        "tgvnn-cuda/data/pincat.ra": lambda chance: raw_array(chance, (32, 32, 4), complex_=True),
        "tgvnn-cuda/data/pincat_mask.ra": lambda chance: raw_array(chance, (32, 32, 4), complex_=False),
        **_each("mt-{}/data/MersenneTwister.dat", lambda chance: mersenne_twisters(chance)[0]),
        **_each("mt-{}/data/MersenneTwister.raw", lambda chance: mersenne_twisters(chance)[1]),
    }


_CUBE = ((0.0, 1.0),) * 3
_CENTRES = ((0.0, 0.0, 0.0), (200.0, 0.0, 0.0), (0.0, 200.0, 0.0))
_ATOMS = {"ligand": 4, "protein": 16}


def _each(name: str, maker: Maker) -> dict[str, Maker]:
    """The same for the CUDA and the HIP side, which do not share it."""
    return {name.format(side): maker for side in ("cuda", "hip")}


def _once(near: list[list[int]]) -> list[tuple[int, int]]:
    return [(one, other) for one, other in fmt.edges(near) if one < other]


def _tensor(chance: random.Random) -> bytes:
    found = {tuple(chance.randrange(1, 65) for _ in range(4)) for _ in range(2000)}
    return fmt.table([(4,), (64,) * 4, *((*at, fmt.number(chance, -1, 1)) for at in sorted(found))])


def _proteins(rate: float) -> list[str]:
    chance = random.Random("proteins")
    plain = [fmt.sequence(chance, fmt.PROTEIN, chance.randrange(80, 200)) for _ in range(40)]
    return [fmt.mutated(chance, text, fmt.PROTEIN, rate) for text in plain]


def _pairs(chance: random.Random, count: int, length: int) -> list[tuple[str, str]]:
    plain = (fmt.sequence(chance, fmt.DNA, length) for _ in range(count))
    return [(text, fmt.mutated(chance, text, fmt.DNA)) for text in plain]


def _seeded(chance: random.Random) -> list[tuple[object, ...]]:
    """Pairs of reads that agree in 17 letters at a known place."""
    found: list[tuple[object, ...]] = []
    for one, other in _pairs(chance, 16, 400):
        found.append((one, 200, other[:200] + one[200:217] + other[217:], 200, "n"))
    return found


def _prose(chance: random.Random, count: int, *more: str) -> bytes:
    text = list(fmt.words(chance, count))
    for word in more:
        for at in range(7, count, 997):
            text[at] = word
    return (" ".join(text) + "\n").encode()


def _bigrams(chance: random.Random) -> bytes:
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = fmt.PROSE.replace(" ", "")
    return fmt.table((one + other, float(text.count(one + other))) for one in letters for other in letters)


def _bitlocker(chance: random.Random) -> bytes:
    salt, nonce, key = (fmt.sequence(chance, "0123456789abcdef", 2 * size) for size in (16, 12, 60))
    return f"$bitlocker$0$16${salt}$1048576$12${nonce}$60${key}\n".encode()


def _cities(chance: random.Random) -> bytes:
    return fmt.lines(f"{chance.randrange(-90, 90)}.5 {chance.randrange(-180, 180)}.5" for _ in range(1 << 21))


def _sky_files() -> list[str]:
    return ["Datapnts.1", *(f"Randompnts.{at}" for at in range(1, 101))]


def _around(chance: random.Random, count: int) -> list[list[float]]:
    return [[round(chance.gauss(value, 4), 3) for value in _CENTRES[at % 3]] for at in range(count)]


def _level(chance: random.Random, row: int) -> list[float]:
    return [fmt.number(chance, 4, 5) if row < 10 and at < 8 else fmt.number(chance, -5, 5) for at in range(20)]


def _regulation(chance: random.Random) -> bytes:
    ranks = list(range(1, 22284))
    chance.shuffle(ranks)
    return b"ID\trank\n" + fmt.table(((f"gene{at}", rank * (-1) ** rank) for at, rank in enumerate(ranks, 1)), "\t")


def _atoms(count: int) -> Maker:
    return lambda chance: b"".join(
        fmt.floats(row) + fmt.ints([at % 4]) for at, row in enumerate(fmt.points(chance, count, *[(-9, 9)] * 3))
    )


def _text(text: bytes) -> Maker:
    return lambda chance: text


def inputs() -> dict[str, Maker]:
    return {
        **_images(),
        **_graphs(),
        **_sequences(),
        **_tables(),
        **_arrays(),
    }


def write(root: Path) -> tuple[list[str], list[str]]:
    """The files written, and those that were there."""
    wrote, kept = list[str](), list[str]()
    for name, maker in inputs().items():
        file = root / name
        if not (root / Path(name).parts[0]).is_dir():
            continue
        if file.exists():
            kept.append(name)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(maker(random.Random(name.replace("-hip/", "-cuda/"))))
        wrote.append(name)
    return wrote, kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="HeCBench's folder src")
    root = parser.parse_args().folder
    if not root.is_dir():
        print(f"{root} is no folder", file=sys.stderr)
        return 2
    wrote, kept = write(root)
    for name in wrote:
        print(f"wrote {name} ({(root / name).stat().st_size:,} bytes)")
    for name, why in CANNOT.items():
        print(f"not made: {name}: {why}")
    print(f"{len(wrote)} files written, {len(kept)} were there already")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
