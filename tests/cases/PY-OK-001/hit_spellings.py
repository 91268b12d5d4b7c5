import torch as t
import torch.cuda.tunable as tunable
from torch import cuda


def run(stream: t.cuda.Stream) -> None:
    cuda.manual_seed_all(1)
    with cuda.stream(stream):
        t.cuda.memory.reset_peak_memory_stats()
    tunable.enable(True)
    getattr(t.cuda, "empty_cache")()


except_types = (t.cuda.OutOfMemoryError,)
# output
6 works-as-is: t.cuda.Stream
7 works-as-is: cuda.manual_seed_all
8 works-as-is: cuda.stream
9 works-as-is: t.cuda.memory.reset_peak_memory_stats
10 works-as-is: tunable.enable
11 works-as-is: getattr(t.cuda, "empty_cache")
14 works-as-is: t.cuda.OutOfMemoryError
