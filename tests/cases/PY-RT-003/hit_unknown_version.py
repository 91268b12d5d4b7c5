import torch as t

stats = {"temp": t.cuda.temperature(), "clock": t.cuda.clock_rate(), "power": t.cuda.power_draw()}
# output
3 info: t.cuda.temperature()
3 info: t.cuda.clock_rate()
3 info: t.cuda.power_draw()
