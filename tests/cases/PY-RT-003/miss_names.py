import torch
from monitor import power_draw

temperature = 0.7
out = model.generate(temperature=temperature)
watts = power_draw()
used = torch.cuda.memory_allocated()
# output
