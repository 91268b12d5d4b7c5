import torch
import torch._inductor.config as config

from mylib import planner

config.memory_planning = False
planner.memory_planning = True
print(config.memory_planning)
run(memory_planning=True)
# output
