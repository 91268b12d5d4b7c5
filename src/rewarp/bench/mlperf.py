"""MLPerf Training by its rules: several runs of a benchmark make one score.

A run's score is the time from run_start to run_stop, if it reached the target. A run that did not is slower than every
other. The fastest and the slowest run are left out, and the rest averaged (the olympic mean); of UNet3D four on each
side. The review committee may scale a score (scaling.json). As in result_summarizer.py of mlcommons/logging.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

RUNS = {
    "bert": 10,
    "cosmoflow": 10,
    "deepcam": 5,
    "deepseekv3_671b": 3,
    "dlrm": 5,
    "dlrm_dcnv2": 10,
    "flux1": 10,
    "gnmt": 10,
    "gnn": 10,
    "gpt3": 3,
    "gpt_oss_20b": 10,
    "llama2_70b_lora": 10,
    "llama31_405b": 3,
    "llama31_8b": 10,
    "mask": 5,
    "maskrcnn": 5,
    "minigo": 10,
    "ncf": 10,
    "oc20": 5,
    "openfold": 10,
    "qwen35_397b_grpo": 3,
    "resnet": 5,
    "retinanet": 5,
    "rgat": 10,
    "rnnt": 10,
    "ssd": 5,
    "stable_diffusion": 10,
    "transformer": 10,
    "unet3d": 40,
}
"""How many runs a submission has, by benchmark (benchmark_meta.py of mlcommons/logging)."""


def left_out_on_each_side(benchmark: str) -> int:
    """As many may fail to reach the target."""
    return 4 if benchmark == "unet3d" else 1


def olympic_mean(times: Sequence[float | None], left_out: int = 1) -> float | None:
    """The mean without the fastest and slowest; None, for a run, is one that did not reach the target.

    None where too many runs failed, or no run is left.
    """
    ordered = sorted(math.inf if time is None else time for time in times)
    counted = ordered[left_out : len(ordered) - left_out]
    if not counted or math.isinf(counted[-1]):
        return None
    return math.fsum(counted) / len(counted)
