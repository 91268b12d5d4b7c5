import torch

props = torch.cuda.get_device_properties(0)
size = round(props.total_memory / 1024**3, 3)
print(f"{torch.cuda.mem_get_info()[0]} bytes are free")
# output
