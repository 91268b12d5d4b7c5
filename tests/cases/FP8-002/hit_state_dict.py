import torch as t

for name, tensor in state_dict.items():
    model.params[name] = state_dict[name].view(dtype).view(t.float8_e4m3fnuz)
# output
arch: gfx942
4 wrong-result: state_dict[name].view(dtype).view(t.float8_e4m3fnuz)
