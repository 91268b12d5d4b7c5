from torch import distributed as d

d.init_process_group(backend="cpu:gloo,cuda:ucc", init_method="env://")
group = d.new_group(backend="UCC")
# output
3 crash: d.init_process_group(backend="cpu:gloo,cuda:ucc", init_method="env://")
4 crash: d.new_group(backend="UCC")
