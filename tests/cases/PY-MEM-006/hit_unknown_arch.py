import torch as t

props = t.cuda.get_device_properties("cuda")
limit = props.total_memory // 2
# output
4 info: props.total_memory
