import torch as t

make = getattr(t.cuda, "tomorrow")
cuda = t.cuda
cuda.amp.bf24_autocast()
# output
3 info: getattr(t.cuda, "tomorrow")
5 info: cuda.amp.bf24_autocast
