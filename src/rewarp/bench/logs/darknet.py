"""Darknet: `717: 0.918283, 1.067682 avg loss, 0.000264 rate, 16.277611 seconds, 45888 images`."""

from __future__ import annotations

import re

from rewarp.bench.logs.steps import StepDialect, figure

DARKNET = StepDialect(
    name="darknet",
    title="Darknet",
    looks_for="717: 0.918283, 1.067682 avg loss, 0.000264 rate, 16.277611 seconds, 45888 images",
    anchors=(b" avg loss, ", b" avg, "),
    step=re.compile(rb"^\s*(?P<step>\d+): (?=[-\w.]+, [-\w.]+ avg(?: loss)?, [\d.]+ rate, )"),
    figures=(
        figure("loss", rb"^\s*\d+: #,"),
        figure("learning_rate", rb", # rate,"),
        figure("time_s", rb", # seconds,"),
    ),
    notes={"time_s": "of one iteration, the time to load its images apart"},
)
