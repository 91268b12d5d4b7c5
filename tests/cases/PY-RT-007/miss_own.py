from mykernels import _create_jit_fn

fn = _create_jit_fn(code)
# output
