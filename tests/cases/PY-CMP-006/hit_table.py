from torch import compile

BACKEND = "torch_tensorrt"
kwargs = dict(backend="tensorrt")


def build(model, quick):
    model.compile(backend="torch_tensorrt" if quick else "inductor")
    return compile(model, **kwargs), compile(model, backend=BACKEND)
# output
4 crash: backend="tensorrt"
8 crash: "torch_tensorrt"
9 crash: backend=BACKEND
