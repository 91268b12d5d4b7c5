"""Logs of many programs: each dialect against a snippet in its format, and what every dialect must survive."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.bench.logs import LogReader, finish, read_logs
from rewarp.bench.logs.base import EVERYONE, LineDialect, all_dialects
from rewarp.bench.logs.facts import TROUBLE
from rewarp.bench.logs.steps import Layout, StepDialect, number
from rewarp.bench.result import Result

SNIPPETS = Path(__file__).parents[1] / "bench" / "logs"
OF_READING = {
    *(trouble.code for trouble in TROUBLE),
    "asynchronous-step",
    "averaged-with-first",
    "clock-restarted",
    "coarse-clock",
    "repeated-lines",
    "restart",
    "several-ranks",
    "steps-unnumbered",
    "truncated-last-line",
    "unfinished-run",
}
"""Warnings that are made while reading; those about statistics have tests of their own."""
CASES = sorted(file for file in SNIPPETS.iterdir() if file.suffix in (".log", ".jsonl"))


def seen(result: Result) -> dict[str, Any]:
    """What a reader of a result relies on, short enough to be checked by eye."""
    columns = {
        name: [None if value is None else f"{value:.9g}" for value in (values[0], values[-1])]
        for name, values in sorted(result.series.columns.items())
    }
    facts = {
        f"{section}.{name}": fact.value
        for section in ("device", "software", "configuration", "reported")
        for name, fact in sorted(getattr(result, section).items())
        if fact.known and isinstance(fact.value, (int, str))
    }
    return {
        "dialect": result.provenance["dialect"],
        "rank": result.provenance.get("rank"),
        "platform": result.platform.value,
        "steps": [len(result.series.step), result.series.step[0], result.series.step[-1]],
        "first_and_last": columns,
        "facts": facts,
        "warnings": sorted(warning.code for warning in result.warnings if warning.code in OF_READING),
    }


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name)
def test_snippet(file: Path) -> None:
    read = read_logs([file])
    assert not read.unread
    expected = json.loads((SNIPPETS / "expected" / f"{file.name}.json").read_text())
    assert [seen(result) for result in read.results] == expected


def test_every_step_dialect_has_a_snippet() -> None:
    expected = [json.loads(file.read_text()) for file in (SNIPPETS / "expected").iterdir()]
    covered = {result["dialect"] for results in expected for result in results}
    covered |= {
        "counter",
        "darknet",
        "fairseq",
        "hrnet",
        "guess",
        "imagenet",
        "litgpt",
        "metric-logger",
        "opennmt",
        "paddle",
        "tf-estimator",
        "timm",
    }  # test_bench_logs_more, test_bench_logs_structure
    assert {name for name, dialect in all_dialects().items() if isinstance(dialect, StepDialect)} <= covered


def test_the_page_lists_every_step_dialect() -> None:
    page = (Path(__file__).parents[2] / "docs" / "bench_logs.md").read_text()
    steps = [name for name, dialect in all_dialects().items() if isinstance(dialect, StepDialect)]
    assert [name for name in steps if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name)
def test_a_line_dialect_is_itself_when_named(file: Path) -> None:
    own = read_logs([file]).results[0].provenance["dialect"]
    assert [seen(result) for result in read_logs([file], only=own).results] == [
        seen(result) for result in read_logs([file]).results
    ]
    for other, dialect in all_dialects().items():
        alike = {"primus", "megatron", "modded-nanogpt-validation"}
        if isinstance(dialect, LineDialect) and other not in (own, *alike) and dialect.yields_to != EVERYONE:
            assert not read_logs([file], only=other).results, f"{other} claims a log of {own}"


# --- the same log in other clothes ----------------------------------------------------------


def megatron(steps: range, of: int = 100, ms: float = 500.0, prefix: str = "", batch: int = 8) -> str:
    return "".join(
        f"{prefix} [2026-01-01 10:{step // 60 % 60:02d}:{step % 60:02d}] iteration {step:8d}/{of:8d} | consumed samples: "
        f"{step * batch:12d} | elapsed time per iteration (ms): {ms + step % 7:.1f} | learning rate: 1.0E-05 | global "
        f"batch size: {batch:5d} | lm loss: {10 / step:.6E} | loss scale: 1.0 | grad norm: 0.500 | number of skipped "
        f"iterations:   0 | number of nan iterations:   0 |\n"
        for step in steps
    )


def write(folder: Path, text: str | bytes, name: str = "train.log") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def one(file: Path, **values: Any) -> Result:
    (result,) = read_logs([file], **values).results
    return result


def times(result: Result) -> list[float | None]:
    return list(result.series.columns["time_s"])


def before_each(text: str, prefix: str) -> bytes:
    return "".join(prefix + line for line in text.splitlines(keepends=True)).encode()


def coloured(text: str) -> str:
    return text.replace("elapsed", "\x1b[1;32melapsed\x1b[0m").replace("iteration  ", "\x1b[38;2;180;60;0miteration  ")


@pytest.mark.parametrize(
    "dressed",
    [
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
        lambda text: text.encode("utf-8-sig"),
        lambda text: gzip.compress(text.encode()),
        lambda text: gzip.compress(text[:5000].encode()) + gzip.compress(text[5000:].encode()),
        lambda text: coloured(text).encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("iteration  ", "\0iteration\0  ").encode(),
        lambda text: text.replace(
            "\n", "\n 40%|####   | 4/10 [00:10<00:15]\r 41%|####   | 5/10 [00:11<00:14]\r"
        ).encode(),
        lambda text: b"\xff\xfe garbage \x80\n".join(line.encode() + b"\n" for line in text.splitlines()),
        lambda text: before_each(text, "2026-01-01T10:00:00.123456789Z stdout F "),
        lambda text: before_each(text, "trainer-1  | "),
        lambda text: before_each(text, "Jan 01 10:00:00 node17 python3[4242]: "),
        lambda text: before_each(text, "(TrainWorker pid=1234, ip=10.0.0.3) "),
        lambda text: before_each(text, "[rank0]:"),
        lambda text: before_each(text, "    > "),
        lambda text: "".join(
            json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-01-01T10:00:00Z"}) + "\n"
            for line in text.splitlines()
        ).encode(),
    ],
)
def test_clothes_do_not_matter(tmp_path: Path, dressed: Any) -> None:
    text = megatron(range(1, 41), of=40)
    plain = one(write(tmp_path, text))
    other = one(write(tmp_path, dressed(text), "other.log"))
    assert times(other) == times(plain)
    assert other.series.step == list(range(1, 41))
    assert other.series.columns["loss"] == plain.series.columns["loss"]


@pytest.mark.parametrize(
    ("text", "value"),
    [(b"1,874", 1874), (b"1,234,567.5", 1234567.5), (b"13,86", 13.86), (b"0,125", 0.125), (b"10,", 10), (b"2.5", 2.5)],
)
def test_commas_in_numbers(text: bytes, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", [b"1.234,56", b"1,2,3", b"", b","])
def test_what_is_no_number(text: bytes) -> None:
    with pytest.raises(ValueError, match="could not convert"):
        number(text)


def test_line_numbers_are_those_of_an_editor(tmp_path: Path) -> None:
    head = "first\r\nsecond with\ra bar\rand another\r\n\x1b[31mthird\x1b[0m\r\n"
    result = one(write(tmp_path, head + "  seq_length ............. 4096\r\n" + megatron(range(1, 4), of=3)))
    assert result.configuration["sequence"].source == "log line 4"
    assert result.provenance["lines"] == [5, 7]


@settings(max_examples=40)
@given(cuts=st.lists(st.integers(0, 20_000), max_size=12), noise=st.lists(st.integers(1, 40), max_size=6))
def test_where_the_stream_is_cut_does_not_matter(cuts: list[int], noise: list[int]) -> None:
    lines = megatron(range(1, 61), of=60).splitlines(keepends=True)
    for place in noise:
        lines.insert(place, f"step {place}: saving, iteration soon\n")
    data = "".join(lines).encode()
    whole, pieces = LogReader(), LogReader()
    whole.feed(data)
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    for start, end in zip(edges, edges[1:]):
        pieces.feed(data[start:end])
    assert pieces.results("x") == whole.results("x")


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(1, 9999), st.floats(0.1, 1e6), st.floats(0, 1e3), st.booleans()), min_size=1, max_size=20
    )
)
def test_the_fast_way_reads_what_the_slow_way_reads(rows: list[tuple[int, float, float, bool]]) -> None:
    dialect = all_dialects()["megatron"]
    assert isinstance(dialect, StepDialect)
    lines = [
        f" iteration {step:8d}/ 9999 | elapsed time per iteration (ms): {ms:.1f} | lm loss: {loss:.6E} | "
        f"{'grad norm: 0.5 |' if norm else ''}".encode()
        for step, ms, loss, norm in rows
    ]
    for line in lines:
        places = dialect.figures_in(line)
        assert places is not None
        slow = {place.column: line[place.start : place.end] for place in places}
        for other in lines:
            fast = Layout(other, dialect, dialect.figures_in(other) or [], "time_s").row(line)
            assert fast is None or fast == slow


# --- steps, ranks, runs ---------------------------------------------------------------------


def codes(result: Result) -> set[str]:
    return {warning.code for warning in result.warnings}


def test_an_iteration_printed_twice_counts_once(tmp_path: Path) -> None:
    twice = "".join(line * 2 for line in megatron(range(1, 21), of=20).splitlines(keepends=True))
    result = one(write(tmp_path, twice))
    assert list(result.series.step) == list(range(1, 21))
    assert "repeated-lines" in codes(result)
    assert times(result) == times(one(write(tmp_path, megatron(range(1, 21), of=20))))


def test_ranks_without_a_name_run_ahead_of_each_other(tmp_path: Path) -> None:
    lines = [megatron(range(step, step + 1), of=20, ms=500 + rank) for step in range(1, 21) for rank in range(4)]
    for place in range(6, 70, 9):
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
    result = one(write(tmp_path, "".join(lines)))
    assert list(result.series.step) == list(range(1, 21))
    assert "restart" not in codes(result)


def test_one_rank_is_read_and_named(tmp_path: Path) -> None:
    lines = [
        megatron(range(step, step + 1), of=9, ms=100.0 * (rank + 1), prefix=f"[rank{rank}]:")
        for step in range(1, 10)
        for rank in (3, 1, 2)
    ]
    result = one(write(tmp_path, "".join(lines)))
    assert result.provenance["rank"] == "1"
    assert times(result)[0] == pytest.approx(0.201)
    assert "several-ranks" in codes(result)


def test_the_rank_behind_a_nodes_number_is_the_rank(tmp_path: Path) -> None:
    lines = [
        megatron(range(step, step + 1), of=20, ms=500 + 50 * rank, prefix=f"0: [rank{rank}]:")
        for step in range(1, 21)
        for rank in (1, 0)
    ]
    result = one(write(tmp_path, "".join(lines)))
    assert result.provenance["rank"] == "0"
    assert times(result) == times(one(write(tmp_path, megatron(range(1, 21), of=20))))


def test_the_rank_with_most_steps_is_read(tmp_path: Path) -> None:
    text = megatron(range(1, 3), prefix="0: ") + megatron(range(1, 9), prefix="5: ")
    assert one(write(tmp_path, text)).provenance["rank"] == "5"


def test_line_numbers_of_grep_are_no_ranks(tmp_path: Path) -> None:
    lines = megatron(range(1, 41), of=40).splitlines(keepends=True)
    result = one(write(tmp_path, "".join(f"{100 + 3 * place}:{line}" for place, line in enumerate(lines))))
    assert list(result.series.step) == list(range(1, 41))
    assert result.provenance["rank"] is None
    assert times(result) == times(one(write(tmp_path, "".join(lines))))


def test_two_processes_in_one_line_are_not_told_apart(tmp_path: Path) -> None:
    lines = megatron(range(1, 11), of=10).splitlines(keepends=True)
    lines[4] = lines[4][:150] + lines[4]
    result = one(write(tmp_path, "".join(lines)))
    assert list(result.series.step) == [1, 2, 3, 4, 6, 7, 8, 9, 10]


def test_a_restart_from_a_checkpoint(tmp_path: Path) -> None:
    text = megatron(range(1, 31), ms=500) + "Traceback (most recent call last):\n" + megatron(range(21, 101), ms=900)
    result = one(write(tmp_path, text))
    assert list(result.series.step) == list(range(1, 101))
    assert times(result)[19] == pytest.approx(0.506)
    assert times(result)[20] == pytest.approx(0.900)
    restart = next(warning for warning in result.warnings if warning.code == "restart")
    assert restart.where == "log line 32"
    assert "from 30 to 21" in restart.what
    assert next(w for w in result.warnings if w.code == "traceback").severity == "info"


def test_two_runs_in_one_file(tmp_path: Path) -> None:
    first = "  seq_length ............. 1024\n" + megatron(range(1, 11), of=10, ms=100)
    second = "  seq_length ............. 2048\n" + megatron(range(1, 6), of=10, ms=300)
    one_run, other = read_logs([write(tmp_path, first + second)]).results
    assert (one_run.name, other.name) == (f"{tmp_path.name}/train.log#1", f"{tmp_path.name}/train.log#2")
    assert (one_run.configuration["sequence"].value, other.configuration["sequence"].value) == (1024, 2048)
    assert "unfinished-run" not in codes(one_run)
    assert "unfinished-run" in codes(other)


def test_two_dialects_in_one_file(tmp_path: Path) -> None:
    nanogpt = "".join(f"iter {step}: loss 3.1000, time {10 + step}.00ms, mfu 20.00%\n" for step in range(5))
    read = read_logs([write(tmp_path, megatron(range(1, 6), of=5) + nanogpt)]).results
    assert {result.provenance["dialect"] for result in read} == {"megatron", "nanogpt"}
    assert all("several-dialects" in codes(result) for result in read)


def test_the_last_word_before_the_first_step_counts(tmp_path: Path) -> None:
    dumps = "".join(f"  seq_length ............. {length}\n" for length in (512, 1024))
    text = dumps + megatron(range(1, 6), of=5) + "  seq_length ............. 4096\n"
    assert one(write(tmp_path, text)).configuration["sequence"].value == 1024


def test_what_stands_far_before_the_first_step_counts(tmp_path: Path) -> None:
    filler = "INFO loading shard 17 of the dataset, which takes a while\n" * 40_000
    text = f"  seq_length ............. 4096\n{filler}  seq_length ............. 8192\n{filler}"
    result = one(write(tmp_path, text + megatron(range(1, 21), of=20)))
    assert result.configuration["sequence"].value == 8192


def test_what_came_before_the_first_step_counts_when_nothing_else_comes() -> None:
    reader = LogReader()
    for part in ("  seq_length ............. 4096\n", megatron(range(1, 3)), megatron(range(3, 9))):
        reader.feed(part.encode())
    (result,) = reader.results("train.log")
    assert result.configuration["sequence"].value == 4096


def test_what_came_before_a_step_that_is_the_last_line_counts() -> None:
    reader = LogReader()
    reader.feed(b"  seq_length ............. 4096\n" + megatron(range(1, 2), of=1).rstrip("\n").encode())
    (result,) = reader.results("train.log")
    assert result.configuration["sequence"].value == 4096


def test_what_deepspeed_calls_its_world_is_a_part_of_it(tmp_path: Path) -> None:
    head = "using world size: 8, data-parallel size: 2, tensor-model-parallel size: 4\n"
    own = "[2026-01-01 10:00:00,000] [INFO] [config.py:1000:print]   world_size ................... 2\n"
    assert one(write(tmp_path, head + own + megatron(range(1, 4), of=3))).device["count"].value == 8
    assert not one(write(tmp_path, own + megatron(range(1, 4), of=3))).device["count"].known


def test_batch_that_grows_is_counted_by_step(tmp_path: Path) -> None:
    head = "  seq_length ............. 1000\n  world_size ............. 2\n"
    text = head + megatron(range(1, 11), of=20, batch=8) + megatron(range(11, 21), of=20, batch=16)
    result = one(write(tmp_path, text))
    assert result.series.columns["tokens"][0] == 8000
    assert result.series.columns["tokens"][-1] == 16000


def test_a_host_that_runs_ahead_of_its_device(tmp_path: Path) -> None:
    seconds = [1.3, 2.8, 12.7, 9.1, 9.1, 9.0, 9.2, 9.1]
    text = "".join(f"completed step: {step}, seconds: {time:.3f}, loss: 9.1\n" for step, time in enumerate(seconds))
    result = one(write(tmp_path, text))
    assert times(result) == [None, None, *seconds[2:]]
    assert "asynchronous-step" in codes(result)


def test_a_clock_that_runs_on(tmp_path: Path) -> None:
    def record(readings: dict[int, int]) -> str:
        return "".join(f"step:{step}/900 train_time:{ms}ms step_avg:1.00ms\n" for step, ms in readings.items())

    assert times(one(write(tmp_path, record({1: 500, 2: 600, 3: 750})))) == pytest.approx([0.5, 0.1, 0.15])
    assert times(one(write(tmp_path, record({10: 500, 20: 700, 30: 900})))) == pytest.approx([0.05, 0.02, 0.02])
    late = times(one(write(tmp_path, record({500: 90_000, 501: 90_100, 502: 90_050, 503: 90_150}))))
    assert late == [None, pytest.approx(0.1), None, pytest.approx(0.1)]


# --- how a log ends -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "steps"),
    [
        (
            " [2026-01-01 10:00:03] iteration        3/     100 | consumed samples:   24 | elapsed time per iteration (ms): 50",
            2,
        ),
        (" [2026-01-01 10:00:03] iteration        3/     100 | consumed", 2),
        (megatron(range(3, 4)).rstrip("\n"), 3),
    ],
)
def test_a_last_line_counts_only_when_it_is_whole(tmp_path: Path, last: str, steps: int) -> None:
    result = one(write(tmp_path, megatron(range(1, 3)) + last))
    assert len(result.series.step) == steps


def test_a_line_that_is_all_there_is_counts(tmp_path: Path) -> None:
    text = "completed step: 3, seconds: 5.300, TFLOP/s/device: 193.354, loss: 9.774"
    assert times(one(write(tmp_path, text))) == [5.3]


@pytest.mark.parametrize(("loss", "steps"), [("9.774", 3), ("9.7", 2), ("9.", 2), ("9", 2)])
def test_a_last_line_that_ends_in_a_number(tmp_path: Path, loss: str, steps: int) -> None:
    text = "".join(f"completed step: {step}, seconds: 5.{step}00, loss: 9.{step}00\n" for step in (1, 2))
    result = one(write(tmp_path, f"{text}completed step: 3, seconds: 5.300, loss: {loss}"))
    assert len(result.series.step) == steps
    assert ("truncated-last-line" in codes(result)) == (steps == 2)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("torch.OutOfMemoryError: HIP out of memory.", "out-of-memory"),
        ("Memory access fault by GPU node-2 on address 0x7f", "gpu-fault"),
        ("Watchdog caught collective operation timeout: WorkNCCL", "collective-timeout"),
        ("Traceback (most recent call last):", "traceback"),
    ],
)
def test_a_run_that_broke(tmp_path: Path, line: str, code: str) -> None:
    result = one(write(tmp_path, megatron(range(1, 6)) + f"{line}\n"))
    warning = next(warning for warning in result.warnings if warning.code == code)
    assert warning.severity == "warning"
    assert "after step 5" in warning.what
    assert warning.where == "log line 6"


def test_a_loss_that_is_no_number_is_no_missing_loss(tmp_path: Path) -> None:
    text = megatron(range(1, 8), of=7).replace("lm loss: 2.500000E+00", "lm loss: nan")
    result = one(write(tmp_path, text))
    assert math.isnan(result.series.columns["loss"][3] or 0.0)
    assert "loss-not-finite" in codes(result)
    assert len(result.series.step) == 7


# --- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (bytes(range(256)) * 50, "not text"),
        (b"hello\nworld\n", "no dialect"),
        (b"\n" * 1000, "no dialect"),
        (b"\x1f\x8b\x08\x00 damaged and so on, and so on", "damaged"),
        (b"\x1f\x8b\x08", "breaks off"),
        (b"x" * (1 << 23), "no dialect"),
        (b"iteration / | elapsed time per iteration (ms): \n" * 50, "no dialect"),
        (b"step: loss: tps: \nStep | loss: \n{'loss': }\n", "no dialect"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, data: bytes, why: str) -> None:
    file = write(tmp_path, data)
    read = read_logs([file])
    assert not read.results
    assert why in read.unread[0].why


def test_a_run_that_broke_before_its_first_step(tmp_path: Path) -> None:
    read = read_logs([write(tmp_path, "loading\nTraceback (most recent call last):\nValueError: no\n")])
    assert read.unread[0].why == "no dialect that is known; Python raised an exception (log line 2)"


def test_a_cut_archive_gives_what_it_still_holds(tmp_path: Path) -> None:
    packed = gzip.compress(megatron(range(1, 400)).encode())
    result = one(write(tmp_path, packed[: len(packed) // 2], "train.log.gz"))
    assert 10 < len(result.series.step) < 399
    assert "broken-off" in codes(result)


def test_a_last_line_after_one_of_another_ending() -> None:
    """In the second block lines are known by their beginnings; one goes on where those before ended."""
    reader = LogReader()
    for lines in (["", "", ""], [" more"]):
        start = reader.steps + 1
        text = (f"s:{step} trl:8.5000 lr:0.0001 norm:0.9{end}\n" for step, end in enumerate(lines, start))
        reader.feed("".join(text).encode())
    reader.feed(b"s:5 trl:8.4000 lr:0.0001 norm:0.9")
    (result,) = reader.results("main.log")
    assert list(result.series.step)[:4] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "line",
    [
        "step {step:4d} | loss: 9.500000 | lr 1.2000e-05 | norm: 15.3662 | dt: {ms}ms | tok/sec: 1550077.43",
        "step: {step} | bs: 64 | train loss: 10.776 | t: {ms}ms | norm: 7.7872 | lr: 0.000001 | tok/s: 785,629.48",
        "iter_dt {ms}ms; iter {step}: train loss 2.60938",
        "Step {step}/500: loss=2.5, step_time={ms}ms",
    ],
)
def test_lines_that_many_programs_print_alike(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(step=step, ms=f"{338.24 + step % 3:.2f}") + "\n" for step in range(10, 31, 10))
    result = one(write(tmp_path, text))
    assert list(result.series.step) == [10, 20, 30]
    assert times(result) == pytest.approx([0.33924, 0.34024, 0.33824])


def test_bars_of_an_evaluation_are_not_those_of_the_training(tmp_path: Path) -> None:
    parts = []
    for step in range(1, 41):
        clock = 3 * step
        parts.append(f"\r {step}%|#    | {step}/40 [{clock // 60:02d}:{clock % 60:02d}<00:09,  3.00s/it]")
        if step % 10 == 0:
            parts.append("\r 50%|##   | 7/14 [00:01<00:01,  7.00it/s]\r100%|#####| 14/14 [00:02<00:00,  7.00it/s]\n")
        parts.append(f"{{'loss': {9 - step / 10}, 'learning_rate': 1e-05, 'epoch': 0.1}}\n")
    result = one(write(tmp_path, "".join(parts)))
    assert list(result.series.step) == list(range(1, 41))
    assert times(result)[1:] == pytest.approx([3.0] * 39)


def test_a_clock_of_whole_seconds_is_read_over_stretches(tmp_path: Path) -> None:
    """Steps of 1.3 s look like ones of 1 and 2 s; no stretch of them is the warm-up of another."""
    parts = []
    for step in range(1, 301):
        clock = int(1.3 * step)
        parts.append(f"\r{step // 3:3d}%|#    | {step}/300 [{clock // 60:02d}:{clock % 60:02d}<00:09,  1.30s/it]")
        parts.append(f"{{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': {step / 300:.2f}}}\n")
    result = one(write(tmp_path, "".join(parts)))
    assert result.summary["warm_up"]["steps"] == 0
    assert result.summary["time_s"]["mean"] == pytest.approx(1.3, rel=0.01)
    assert max(time for time in times(result) if time) < 1.5


@pytest.mark.parametrize("text", ["-5.0", "0.0", "1e999", "nan", "-0.0", "9" * 400])
def test_times_that_cannot_be(tmp_path: Path, text: str) -> None:
    bad = megatron(range(1, 30), of=29).replace("(ms): 504.0", f"(ms): {text}")
    result = one(write(tmp_path, bad))
    assert len(result.series.step) == 29
    assert result.summary["time_s"]["mean"] < 1


TOKENS = [b"\r", b"\n", b"\0", b"\x1b[3", b"nan", b"-", b"1e400", b"9" * 30, b".", b"{", b"'", b"\xff", b",", b" " * 9]


@settings(max_examples=150)
@given(
    st.sampled_from(CASES),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(TOKENS) | st.binary(max_size=40)), max_size=8),
    st.floats(0, 1),
)
def test_damage_breaks_nothing(file: Path, damage: list[tuple[float, bytes]], cut: float) -> None:
    data = file.read_bytes()
    for place, token in damage:
        at = int(place * len(data))
        data = data[:at] + token + data[at + len(token) // 2 :]
    reader = LogReader()
    reader.feed(data[: int((1 - cut / 4) * len(data))])
    for result in reader.results("x"):
        finish(result, {})


def test_a_run_too_long_to_keep_whole(tmp_path: Path) -> None:
    with (tmp_path / "long.log").open("w") as stream:
        for step in range(70_000):
            stream.write(f"iter {step}: loss 3.1000, time {13 + step % 10}.00ms, mfu 20.00%\n")
    result = one(tmp_path / "long.log")
    assert result.summary["steps"] == 70_000
    assert result.summary["time_s"]["mean"] == pytest.approx(0.0175, rel=1e-3)
    assert len(result.series.step) <= 1 << 15
    kept = [time for time in times(result) if time is not None]
    assert sum(kept) / len(kept) == pytest.approx(0.0175, rel=1e-3), "every n-th alone would miss the pattern"
    assert result.series.step[1] == result.series.thinned
    assert "thinned" in codes(result)


# --- near-misses ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "for step in range(10): print(f'step: {step} loss: {loss}')\n" * 5,
        "step=1 of the installation\nstep=2 of it\nstep=3 of it\nstep=4 of it\n",
        "step=1 time=5\nstep=2 time=5\nstep=3 time=5\nstep=4 time=5\n",
        "step 1: elapsed time per iteration is long\n" * 5,
        " 50%|#####     | 5/10 [00:10<00:10,  2.00s/it]\r" * 10 + "\n",
        "Training epoch 3 of 10\n" * 5,
        "validate step: 10  loss:  7.1  memory: 1.00GiB(1.00%)  tps: 9,999\n" * 5,
        "step 250: train loss 1.9143, val loss 2.0356\n" * 5,
    ],
)
def test_what_is_no_log_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    assert read_logs([write(tmp_path, text)]).results == ()


# --- epochs, rounding, excerpts -----------------------------------------------------------


def _steps(tmp_path: Path, text: str, name: str = "train.log") -> list[list[int]]:
    file = tmp_path / name
    file.write_text(text)
    return [list(result.series.step) for result in read_logs([file]).results]


def _line(epoch: str, step: str) -> str:
    return f"INFO:train:Epoch {epoch} | Step {step} | Loss: 2.5 | Time: 0.5s\n"


def test_steps_that_begin_anew_with_every_epoch_are_one_run(tmp_path: Path) -> None:
    lines = [_line(str(epoch), f"{step}/25") for epoch in (0, 1, 2) for step in (0, 10, 20)]
    assert _steps(tmp_path, "".join(lines)) == [[0, 10, 20, 25, 35, 45, 50, 60, 70]]


def test_steps_that_go_on_through_epochs_stay_as_they_are(tmp_path: Path) -> None:
    lines = [_line(str(step // 30), f"{step}/90") for step in range(0, 90, 10)]
    assert _steps(tmp_path, "".join(lines)) == [list(range(0, 90, 10))]


def test_an_epoch_that_goes_back_is_a_new_run(tmp_path: Path) -> None:
    once = "".join(_line(str(epoch), f"{step}/25") for epoch in (0, 1) for step in (0, 10, 20))
    assert _steps(tmp_path, once + once.replace("0.5s", "0.6s")) == [[0, 10, 20, 25, 35, 45]] * 2


def test_without_an_epoch_a_step_that_begins_anew_is_a_new_run(tmp_path: Path) -> None:
    once = "".join(f"Step {step}/25 | Loss: 2.5 | Time: 0.5s\n" for step in (0, 10, 20))
    again = once.replace("0.5s", "0.6s")
    assert _steps(tmp_path, once + again) == [[0, 10, 20]] * 2
    # A part of an epoch is no number of one.
    parts = [text.replace("Step", f"epoch {part} | Step") for text, part in ((once, 0.5), (again, 0.7))]
    assert _steps(tmp_path, "".join(parts)) == [[0, 10, 20]] * 2


@pytest.mark.parametrize(
    ("rate", "total", "expected"),
    [("0.005", 4, 217.94675), ("0.568", 4, 1 / 0.568), ("0.005", 400, None), ("0.005", None, None)],
)
def test_a_rate_that_was_rounded_away_is_no_time(
    tmp_path: Path, rate: str, total: int | None, expected: float | None
) -> None:
    text = f"  Total optimization steps = {total}\n" if total else ""
    summary = {"train_runtime": 871.787, "train_samples_per_second": 1.147, "train_steps_per_second": float(rate)}
    (tmp_path / "train.log").write_text(f"{text}{summary}\n")
    found = read_logs([tmp_path / "train.log"]).results[0].reported.get("step_time_s")
    assert (found.value if found else None) == (pytest.approx(expected) if expected else None)


def test_blocks_of_a_page_are_logs_of_their_own(tmp_path: Path) -> None:
    block = "".join(f"step: {step}, loss: 2.5, step_time_ms: {step}\n" for step in (5, 6, 7))
    page = f"First\n\n```\n{block}```\nthen\n```text\n{block.replace('step: ', 'step: 1')}```\n```\n{block}```\n"
    assert _steps(tmp_path, page, "notes.md") == [[5, 6, 7], [15, 16, 17], [5, 6, 7]]
    first, second, third = read_logs([tmp_path / "notes.md"]).results
    assert (first.name[-2:], third.name[-2:]) == ("#1", "#3")
    assert (first.provenance["lines"], second.provenance["lines"]) == ([4, 6], [10, 12])


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        ("step 7 | loss 4.5 | 457 tok/s | x", "tokens_per_s", 457.0),
        ("step 7 | loss 4.5 | 1,457 tokens/sec", "tokens_per_s", 1457.0),
        ("step 7 | loss 4.5 | 457 tok/s/gpu", "tokens_per_s_per_device", 457.0),
    ],
)
def test_a_unit_behind_the_number(tmp_path: Path, line: str, column: str, value: float) -> None:
    (tmp_path / "train.log").write_text("".join(line.replace("step 7", f"step {n}") + "\n" for n in (7, 8, 9)))
    columns = read_logs([tmp_path / "train.log"]).results[0].series.columns
    assert columns[column][0] == value
    assert columns["loss"][0] == 4.5
    assert sum(name.startswith("tokens_per_s") for name in columns) == 1
