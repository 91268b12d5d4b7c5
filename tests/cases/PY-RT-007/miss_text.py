import torch

doc = "see torch.cuda.jiterator._create_jit_fn"
fn = torch.jit.script(_create_jit_fn)
# output
