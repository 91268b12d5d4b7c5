"""What comparers share: the two trees, and what is certain about them for an NVIDIA build."""

from __future__ import annotations

from rewarp.verify.isolation.cfamily.macros import NvidiaMacros
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.switches import NvidiaSwitches
from rewarp.verify.isolation.reach.collecting import Collectors
from rewarp.verify.isolation.tree import Trees


class Context:
    def __init__(self, trees: Trees) -> None:
        self.trees = trees
        self.switches: dict[Side, NvidiaSwitches] = {
            "before": NvidiaSwitches(trees, "before"),
            "after": NvidiaSwitches(trees, "after"),
        }
        self.macros: dict[Side, NvidiaMacros] = {
            "before": NvidiaMacros(trees, "before", self.switches["before"]),
            "after": NvidiaMacros(trees, "after", self.switches["after"]),
        }
        self.collectors = Collectors(trees, self.switches["before"])
