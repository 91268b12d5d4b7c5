"""Logs of programs and families of programs: what stands in their lines, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_results import codes

from rewarp.bench.logs import read_logs
from rewarp.bench.result import Result


def read(tmp_path: Path, text: str, name: str = "train.log") -> Result:
    file = tmp_path / name
    file.write_text(text)
    found = read_logs([file])
    assert len(found.results) == 1, found
    return found.results[0]


def dialect(result: Result) -> str:
    return str(result.provenance["dialect"])


def times(result: Result) -> list[float | None]:
    return list(result.series.figures("time_s"))


def test_litgpt_iterations_are_not_steps(tmp_path: Path) -> None:
    lines = [
        f"iter {n} step {(n + 3) // 4}: loss {3 - n / 100:.4f}, iter time: 500.00 ms{' (optimizer.step)' if n % 4 == 0 else ''}\n"
        for n in range(1, 81)
    ]
    result = read(tmp_path, "".join(lines))
    assert dialect(result) == "litgpt"
    assert list(result.series.step) == list(range(1, 21))
    assert times(result)[0] == pytest.approx(2.0)
    assert "iterations" in codes(result)


def test_litgpt_with_bars(tmp_path: Path) -> None:
    lines = [
        f"Epoch 1 | iter {n} step {n} | loss train: {3 - n / 100:.3f}, val: n/a | iter time: 512.20 ms (step)\n"
        for n in range(1, 30)
    ]
    result = read(tmp_path, "".join(lines))
    assert times(result)[5] == pytest.approx(0.5122)
    assert result.series.figures("loss")[0] == pytest.approx(2.99)


def test_mlx_validation_is_no_training(tmp_path: Path) -> None:
    text = "Iter 1: Val loss 9.999, Val took 10.241s\n"
    for n in range(10, 210, 10):
        text += (
            f"Iter {n}: Train loss {3 - n / 1000:.3f}, Learning Rate 1.000e-05, It/sec 0.500, Tokens/sec 300.125, "
            f"Trained Tokens {n * 600}, Peak mem 10.100 GB\n"
        )
        if n == 100:
            text += "Iter 100: Val loss 8.888, Val took 9.111s\n"
    result = read(tmp_path, text)
    assert result.series.figures("loss")[0] == pytest.approx(2.99)
    assert not {8.888, 9.999} & set(result.series.figures("loss"))
    assert times(result)[0] == pytest.approx(2.0)
    assert result.series.figures("tokens_per_s")[0] == pytest.approx(300.125)
    assert result.series.figures("learning_rate")[0] == pytest.approx(1e-5)


def test_lerobot_thousands(tmp_path: Path) -> None:
    said = ["200", "400", "600", "800", "1K", "1K", "1K", "2K", "2K"]
    text = "".join(
        f"INFO 2025-03-01 12:00:0{n} ts/train.py:232 step:{step} smpl:{n}K ep:{n} epch:0.38 loss:1.{n}43 grdn:38.116 lr:1.0e-05 "
        f"updt_s:0.248 data_s:0.005\n"
        for n, step in enumerate(said, 1)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "lerobot"
    assert list(result.series.step) == [200 * n for n in range(1, 10)]
    assert times(result) == [0.248] * 9
    assert result.series.figures("data_s")[0] == 0.005


def test_opennmt_seconds_are_a_clock(tmp_path: Path) -> None:
    text = "".join(
        f"[2020-01-01 12:00:00,000 INFO] Step {50 * n}/100000; acc: 5.61; ppl: 5000.05; xent: {8.5 - n / 10:.2f}; "
        f"lr: 0.00010; sents: 3200; bsz: 1200/1100/64; 12000/11500 tok/s; {25 * n:6d} sec;\n"
        for n in range(1, 30)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "opennmt"
    assert times(result)[5] == pytest.approx(0.5)
    assert result.series.figures("target_tokens_per_s")[0] == 11500


def test_fairseq(tmp_path: Path) -> None:
    text = "".join(
        f"2023-01-01 12:00:0{n} | INFO | train_inner | epoch 001:    {100 * n} / 1122 loss={14 - n}.5, nll_loss=14.2, ppl=19000, "
        f"wps=31012.9, ups=8, wpb=3482.6, bsz=131.5, num_updates={100 * n}, lr=1.25e-05, gnorm=3.5, clip=0, train_wall=12, wall=14\n"
        for n in range(1, 6)
    )
    text += "2023-01-01 12:00:09 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 9.9 | num_updates 500\n"
    result = read(tmp_path, text)
    assert dialect(result) == "fairseq"
    assert list(result.series.step) == [100, 200, 300, 400, 500]
    assert times(result)[0] == pytest.approx(1 / 8)
    assert result.series.figures("tokens_per_s")[0] == 31012.9
    assert 9.9 not in result.series.figures("loss")


def test_timm_takes_the_step_and_not_the_mean(tmp_path: Path) -> None:
    text = "".join(
        f"Train: 0 [{50 * n:4d}/1251 (  4%)]  Loss: 6.93 (6.94)  Time: 0.345s,  742.03/s  (0.412s,  621.36/s)  "
        f"LR: 1.000e-05  Data: 0.009 (0.035)\n"
        for n in range(20)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "timm"
    assert times(result)[0] == 0.345
    assert result.series.figures("samples_per_s")[0] == 742.03


def test_imagenet_and_metric_logger(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: [0][{10 * n:5d}/5004]\tTime  0.345 ( 0.412)\tData  0.003 ( 0.020)\tLoss 6.9012e+00 (6.9431e+00)\tAcc@1   0.00\n"
        for n in range(1, 12)
    )
    result = read(tmp_path, text)
    assert (dialect(result), times(result)[0]) == ("imagenet", 0.345)
    assert result.series.figures("loss")[0] == pytest.approx(6.9012)
    text = "".join(
        f"Epoch: [0]  [{10 * n:4d}/5004]  eta: 0:40:12  lr: 0.000100  loss: 6.9012 (6.9431)  time: 0.4412  data: 0.0003  max mem: 8013\n"
        for n in range(1, 12)
    )
    result = read(tmp_path, text)
    assert (dialect(result), times(result)[0]) == ("metric-logger", 0.4412)
    assert result.series.figures("memory_bytes")[0] == 8013 * 2**20


def test_paddle(tmp_path: Path) -> None:
    text = "".join(
        f"[2023/03/01 12:00:0{n}] ppcls INFO: [Train][Epoch 1/120][Iter: {10 * n}/5004]lr(LinearWarmup): 0.00100000, top1: 0.0, "
        f"CELoss: 6.9, loss: 6.{n}, batch_cost: 0.32000s, reader_cost: 0.01, ips: 79.60000 samples/s, eta: 1 day\n"
        for n in range(1, 9)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "paddle"
    assert times(result)[0] == 0.32
    assert result.series.figures("loss")[0] == 6.1
    assert "samples_per_s" not in result.series.columns


def test_deepspeed_timers(tmp_path: Path) -> None:
    text = "".join(
        "[2024-01-01 12:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd: 120.50 | bwd: 240.00 | "
        "bwd_inner: 238.90 | bwd_allreduce: 1.10 | step: 39.50\n"
        for _ in range(5)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "deepspeed-timers"
    assert times(result)[0] == pytest.approx(0.4)


def test_olmo_and_composer_blocks(tmp_path: Path) -> None:
    text = "".join(
        f"2024-05-01 12:00:00.000\thost:0\tolmo.train:816\tINFO\t[step={n}/739328,epoch=0]\n"
        "    optim/total_grad_norm=1.250\n"
        f"    train/CrossEntropyLoss={11 - n / 10:.3f}\n"
        "    train/Perplexity=64,000\n"
        "    throughput/total_tokens=41,943,040\n"
        "    throughput/device/tokens_per_second=7,300\n"
        "    throughput/device/batches_per_second=0.1250\n"
        "    System/Peak GPU Memory (MB)=37,123\n"
        for n in range(1, 13)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "blocks"
    assert times(result)[0] == pytest.approx(8.0)
    assert result.series.figures("tokens_per_s_per_device")[0] == 7300
    assert result.series.figures("loss")[0] == pytest.approx(10.9)
    assert result.series.figures("memory_bytes")[0] == 37_123e6
    text = "".join(
        f"[batch={n}/4800]:\n"
        "\t Train time/epoch: 0\n"
        f"\t Train loss/train/total: {12 - n / 10:.4f}\n"
        "\t Train throughput/batches_per_sec: 0.5000\n"
        "\t Train throughput/device/batches_per_sec: 0.0625\n"
        "\t Train throughput/tokens_per_sec: 161268.0\n"
        for n in range(1, 13)
    )
    result = read(tmp_path, text)
    assert times(result)[0] == pytest.approx(2.0)
    assert result.series.figures("tokens_per_s")[0] == 161268.0


def test_keras(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {n}/5\n1000/1000 [==============================] - 1843s 2s/step - loss: 3.8849 - val_loss: 3.2442\n"
        for n in range(1, 6)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "keras"
    assert list(result.series.step) == [1000, 2000, 3000, 4000, 5000]
    assert times(result)[0] == pytest.approx(1.843)
    assert result.series.figures("loss")[0] == 3.8849
    text = "".join(
        f"Epoch {n}/3\n\r   1/1875 ━━━━━━━━━━━━━━━━━━━━ 10:21 331ms/step - accuracy: 0.1 - loss: 2.4"
        "\r1875/1875 ━━━━━━━━━━━━━━━━━━━━ 5s 3ms/step - accuracy: 0.9146 - loss: 0.2912\n"
        for n in range(1, 4)
    )
    result = read(tmp_path, text)
    assert times(result) == [0.003] * 3
    assert list(result.series.step) == [1875, 3750, 5625]


def test_bars_of_a_training(tmp_path: Path) -> None:
    text = "Downloading: 100%|██████████| 500/500 [00:10<00:00, 50.0it/s]\n"
    text += "Validating: 100%|██████████| 100/100 [00:50<00:00, 2.0it/s]\n"
    for n in range(1, 101):
        text += f"\rEpoch 1:  {n}%|███       | {n * 10}/1000 [{n // 60:02d}:{n % 60:02d}<00:10, 10.10it/s, loss={2 - n / 100:.3f}, v_num=1]"
    result = read(tmp_path, text + "\n")
    assert dialect(result) == "tqdm"
    assert result.summary["time_s"]["mean"] == pytest.approx(0.1, rel=0.02)
    assert result.series.figures("loss")[-1] == pytest.approx(1.0, abs=0.1)
    assert "iterations" in codes(result)


def test_bars_that_are_no_training_are_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("Loading checkpoint shards: 100%|██████████| 4/4 [00:10<00:00,  2.50s/it]\n" * 5)
    assert read_logs([file]).results == ()


def test_epochs_of_ultralytics_go_on(tmp_path: Path) -> None:
    text = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
    for n in range(1, 16):
        text += f"        {n}/5      2.12G      1.215      2.307      1.201         12        640: 100%|██████████| 80/80 [00:16<00:00,  5.00it/s]\n"
        text += "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 4/4 [00:01<00:00,  3.3it/s]\n"
    result = read(tmp_path, text)
    assert result.series.step[-1] == 1200
    assert result.summary["time_s"]["mean"] == pytest.approx(0.2, rel=0.02)


def test_units_tell_whoever_printed(tmp_path: Path) -> None:
    text = "".join(
        f"2016-07-23 14:34:15: step {10 * n}, loss = 2.63 (68.5 examples/sec; 3.740 sec/batch)\n" for n in range(1, 9)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "generic"
    assert times(result)[0] == 3.74
    assert result.series.figures("samples_per_s")[0] == 68.5
    text = "".join(f"INFO:tensorflow:Step {100 * n} per-step time 0.813s loss=1.396\n" for n in range(1, 9))
    assert times(read(tmp_path, text))[0] == 0.813
    text = "".join(f"train | step:    {20 * n} | steps/sec:    0.1 | output:\n" for n in range(1, 9))
    assert times(read(tmp_path, text))[0] == pytest.approx(10.0)


def test_epochs_are_not_steps(tmp_path: Path) -> None:
    text = "".join(f"Epoch {n}/50, Train Loss: 0.5{n}2, Val Loss: 0.834, Time: 12.3s\n" for n in range(1, 8))
    result = read(tmp_path, text)
    assert dialect(result) == "epochs"
    assert result.series.figures("epoch_time_s")[0] == 12.3
    assert result.series.figures("loss")[0] == 0.512
    assert "time_s" not in result.series.columns
    assert "epochs" in codes(result)


def test_a_guess_says_that_it_is_one(tmp_path: Path) -> None:
    text = "".join(f"worker ready >> it {n} whatever 0.{n} took 1.5{n} s\n" for n in range(1, 8))
    result = read(tmp_path, text)
    assert dialect(result) == "guess"
    guess = next(warning for warning in result.warnings if warning.code == "guess")
    assert guess.where == "log line 1"
    assert "worker ready" in guess.what
    assert times(result)[0] == 1.51


def test_a_guessed_time_that_only_grows_is_a_clock(tmp_path: Path) -> None:
    text = "".join(f"worker: it {n} done, elapsed {7 * n} s\n" for n in range(1, 20))
    result = read(tmp_path, text)
    assert times(result)[5] == pytest.approx(7.0)


def test_prose_is_no_log(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(
        "We waited 10 s.\nThen, in step 3, it took 5 s.\nThe batch of 8 cookies was done.\nIn 2024/2025 nobody came.\n"
    )
    assert read_logs([file]).results == ()


TITAN = "[rank0]:[titan] 2025-09-11 15:23:55,616 - root - INFO - step: {n}  loss: 7.1291  memory: 81.85GiB(86.17%)  tps: 1,874  tflops: 389.87  mfu: 39.42%\n"


@pytest.mark.parametrize(
    "line",
    [
        "model.converters............... ['float8']\n",
        '    "converters": ["float8"],\n',
        "[titan] Float8 tensorwise scaled training active\n",
        "[titan] Swapped to Float8Linear layers with enable_fsdp_float8_all_gather=True\n",
        "  fp8 ............................................. hybrid\n",
        "mixed_precision: bf16_with_fp8_delayed_scaling_mixed\n",
    ],
)
def test_eight_bits_are_the_precision(tmp_path: Path, line: str) -> None:
    text = "training.mixed_precision_param.... bfloat16\n" + line
    text += "".join(TITAN.format(n=n) for n in range(1, 30))
    assert read(tmp_path, text).configuration["precision"].value == "fp8"


@pytest.mark.parametrize(
    "line",
    [
        "model.converters............... []\n",
        "  fp8 .......................... None\n",
        "float8.filter_fqns: ['output']\n",
    ],
)
def test_eight_bits_that_are_switched_off(tmp_path: Path, line: str) -> None:
    text = "training.mixed_precision_param.... bfloat16\n" + line
    text += "".join(TITAN.format(n=n) for n in range(1, 30))
    assert read(tmp_path, text).configuration["precision"].value == "bf16"


def test_a_counter_with_a_rate(tmp_path: Path) -> None:
    text = "".join(
        f"[{500 * n:06d}/50000] VIMEO  | loss 0.0{n}17 | VRAM 9.8/15.9GB (62%) | GPU 98% | 3.20 it/s | ETA 254.0 min | batch 16\n"
        for n in range(1, 12)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "counter"
    assert list(result.series.step)[:2] == [500, 1000]
    assert times(result)[0] == pytest.approx(1 / 3.2)


def test_hrnet(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: [352/520] Iter:[{10 * n}/495], Time: 0.33, lr: [0.018], Loss: 1.43, Acc:0.75, Semantic loss: 0.88\n"
        for n in range(20)
    )
    result = read(tmp_path, text)
    assert (dialect(result), times(result)[3]) == ("hrnet", 0.33)
    assert result.series.figures("loss")[0] == 1.43


def test_bars_without_words_are_not_even_guessed(tmp_path: Path) -> None:
    file = tmp_path / "x.log"
    file.write_text("".join(f" {n * 17}%|█▋        | {n}/6 [00:0{n}<00:13,  2.72s/it]\n" for n in range(1, 7)) * 3)
    assert read_logs([file]).results == ()


def test_thousands_of_tokens(tmp_path: Path) -> None:
    text = "".join(
        f"step   4777{n} | loss 14.1456 | lr 1.79e-04 | grad 0.842 | 37.3k tok/s | mfu 37.47%\n" for n in range(9)
    )
    assert read(tmp_path, text).series.figures("tokens_per_s")[0] == pytest.approx(37_300)


def test_a_clock_of_hours_and_minutes(tmp_path: Path) -> None:
    text = "".join(
        f"2023-10-02 23:11:37,382 seg INFO: Iters: {20 * n}/20000 || Lr: 0.0198 || Task Loss: 5.47 || Cost Time: "
        f"0:{n // 6:02d}:{n % 6 * 10:02d} || Estimated Time: 4:57:54\n"
        for n in range(1, 60)
    )
    assert times(read(tmp_path, text))[20] == pytest.approx(0.5)


def test_keras_that_says_seconds_of_epochs_alone(tmp_path: Path) -> None:
    epochs = "".join(
        f"Epoch {n}/5\n144/144 - 72s - loss: 2{n}.4016 - acc: 0.9865 - val_loss: 60.9447\n" for n in range(1, 6)
    )
    file = tmp_path / "train.log"
    file.write_text(epochs * 2)
    results = read_logs([file]).results
    assert [list(result.series.step) for result in results] == [[144, 288, 432, 576, 720]] * 2
    assert times(results[0])[0] == pytest.approx(0.5)
    assert results[0].series.figures("loss")[0] == 21.4016


def test_epochs_whose_time_was_taken(tmp_path: Path) -> None:
    text = "".join(f"End of epoch {n} / 100 \t Time Taken: 1605.5 sec\n" for n in range(1, 9))
    assert read(tmp_path, text).series.figures("epoch_time_s")[0] == 1605.5


def test_a_bar_that_is_drawn_again_is_no_epoch(tmp_path: Path) -> None:
    """Its postfix is set before it moves on, and at its end a validation runs; beyond its total it says no total."""
    text = ""
    for epoch in range(1, 11):
        for n in range(1, 19):
            clock = f"{(n + 1) * 16 // 60:02d}:{(n + 1) * 16 % 60:02d}"
            bar = f"Epoch {epoch}:  {n * 7}%|█████████▎| {n}/14 [{n * 16 // 60:02d}:{n * 16 % 60:02d}<00:16, 16.23s/it, loss=100]"
            later = f"Epoch {epoch}:  {n * 7}%|█████████▎| {n}/14 [{clock}<00:16, 16.23s/it, loss=102]"
            beyond = f"Epoch {epoch}: {n}it [{n * 16 // 60:02d}:{n * 16 % 60:02d}, 16.23s/it, loss=88]"
            text += f"\r{bar}\r{later}" if n <= 14 else f"\r{beyond}"
    result = read(tmp_path, text + "\n")
    assert result.series.step[-1] <= 180
    assert result.series.step[-1] > 170
    assert result.summary["time_s"]["mean"] == pytest.approx(16.0, rel=0.03)


def test_keras_draws_the_end_of_an_epoch_twice(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {n}/9\n\r89/89 ━━━━━━━━━━━━━━━━━━━━ 0s 570ms/step - loss: 0.0107"
        "\r89/89 ━━━━━━━━━━━━━━━━━━━━ 73s 577ms/step - loss: 0.0107 - val_loss: 0.0106\n"
        for n in range(1, 10)
    )
    result = read(tmp_path, text)
    assert list(result.series.step) == [89 * n for n in range(1, 10)]
    # All but alike: the line that closes the epoch is exact.
    assert times(result)[0] == pytest.approx(0.577)


@pytest.mark.parametrize(
    ("line", "loss"),
    [
        ("Step: {n}, det loss: 0.155, bbox loss: 0.022, all_loss: 0.167, lr:0.01", 0.167),
        ("Step: {n}, 98 it/s, Task Loss: 5.4703 || KD Loss: 0.4713", None),
        ("Step {n} per-step time 0.813s loss=1.396", 1.396),
        ("step {n} loss 2.5 | lr 0.1", 2.5),
        ("step {n}: train loss 4.1, val loss 4.2", 4.1),
        ("step: {n} - loss: 1.5 - val_loss: 9.9", 1.5),
    ],
)
def test_a_part_of_a_loss_is_not_the_loss(tmp_path: Path, line: str, loss: float | None) -> None:
    result = read(tmp_path, "".join(line.format(n=n) + "\n" for n in range(1, 9)))
    assert result.series.figures("loss")[0] == loss


def test_a_log_that_begins_in_a_late_epoch_says_so(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: [{e}][{n:3d}/50]\tTime  0.345 ( 0.412)\tLoss 6.9 (6.9)\n" for e in (352, 353) for n in range(0, 50, 10)
    )
    result = read(tmp_path, text)
    assert "the log begins in epoch 352" in next(w.what for w in result.warnings if w.code == "epochs-joined")


def _all(tmp_path: Path, text: str) -> tuple[Result, ...]:
    file = tmp_path / "train.log"
    file.write_text(text)
    return read_logs([file]).results


def test_epochs_from_the_first_on_again_are_another_run(tmp_path: Path) -> None:
    line = "2025-04-24 21:17:53,828 - INFO - Epoch [{}/50] [38.{}s] | Train Loss: 1.9{} | Val Loss: 0.7\n"
    text = "".join(line.format(n, n, n) for n in (1, 2, 3, 1, 2))
    first, second = _all(tmp_path, text)
    assert (list(first.series.step), list(second.series.step)) == ([1, 2, 3], [1, 2])
    assert first.series.figures("epoch_time_s")[0] == 38.1
    # Several lines of one epoch are its steps or its parts.
    assert _all(tmp_path, "".join(line.format(n, n, n) for n in (1, 1, 2, 2, 3, 3))) == ()
    assert _all(tmp_path, "".join(line.format(n, n, n) for n in (1, 2, 3, 3, 4))) == ()


def test_stages_of_a_script_are_no_steps(tmp_path: Path) -> None:
    stages = "".join(f"Step {n}/6  Phase {n} -- layer4 only (6 epochs, LR=0.0001) ...\n" for n in range(1, 7))
    assert _all(tmp_path, stages) == ()
    epochs = "".join(f"  Ep  {n}/6  train_loss=0.542{n}  val_loss=0.4714  [148s]\n" for n in range(1, 7))
    (result,) = _all(tmp_path, stages + epochs)
    assert dialect(result) == "epochs"
    assert result.series.figures("epoch_time_s")[0] == 148


def _bar(desc: str, n: int, of: int, seconds: int, shape: str = "{}") -> str:
    done = shape.format(n)
    return (
        f"{desc}{100 * n // of}%|███| {done}/{of} [{seconds // 60:02d}:{seconds % 60:02d}<00:10, 2.00s/it, loss=1.5]\n"
    )


def test_folds_are_runs_of_their_own(tmp_path: Path) -> None:
    text = "".join(
        _bar(f"[fold_{fold}] {epoch:03d}/020: ", n, 4, 2 * n)
        for fold in (0, 1)
        for epoch in range(1, 21)
        for n in range(1, 5)
    )
    first, second = _all(tmp_path, text)
    assert first.series.step[-1] == second.series.step[-1] == 80


def test_a_bar_of_epochs_is_none_of_steps(tmp_path: Path) -> None:
    assert _all(tmp_path, "".join(_bar("Epochs: ", n, 100, 46 * n) for n in range(1, 30))) == ()
    (result,) = _all(tmp_path, "".join(_bar("Epoch 1: ", n, 100, 2 * n) for n in range(1, 101)))
    assert result.series.step[-1] == 100


def test_a_bar_behind_the_stamps_of_a_logger(tmp_path: Path) -> None:
    text = "".join(
        _bar(f"2025-06-14 22:56:{n % 60:02d},391 - INFO - ", n, 100, 2 * n, "{}.00" if n < 100 else "{}")
        for n in range(1, 101)
    )
    (result,) = _all(tmp_path, text)
    assert result.series.step[-1] == 100


def test_steps_planned_are_those_of_the_run_and_not_of_an_epoch(tmp_path: Path) -> None:
    lines = "".join(f"Epoch {e} step {n}/100, loss: 0.5, 0.25 sec/batch\n" for e in (1, 2) for n in range(10, 101, 10))
    (result,) = _all(tmp_path, lines)
    assert result.series.step[-1] == 200
    assert result.provenance["steps_planned"] is None


def test_the_bar_of_the_next_run_of_a_trainer_is_not_that_of_the_last(tmp_path: Path) -> None:
    end = "{'train_runtime': 100.0, 'train_samples_per_second': 20.0, 'train_steps_per_second': 3.0, 'train_loss': 0.1, 'epoch': 3.0}\n"
    rows = "".join(f"{{'loss': 0.{n}, 'learning_rate': 1e-05, 'epoch': {n / 10}}}\n" for n in range(1, 5))
    bar = " 22%|██▏       | 500/2260 [01:00<03:00,  9.00it/s]\n"
    first, second = _all(tmp_path, rows + end + bar + rows + end)
    assert first.provenance["steps_planned"] is None
    assert second.provenance["steps_planned"] == 2260
