import torch

torch.cuda.memory._record_memory_history(max_entries=1000)
torch.cuda.memory._dump_snapshot("m.pickle")
fn = torch.cuda.jiterator._create_jit_fn(code)
kernel = torch.cuda._compile_kernel(source, "add")
name = torch.cuda.__name__
# output
