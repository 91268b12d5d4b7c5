import torch

code = "template <typename T> T add(T x, T y) { return x + y; }"
fn = torch.cuda.jiterator._create_jit_fn(code)
# output
4 works-as-is: torch.cuda.jiterator._create_jit_fn(code)
