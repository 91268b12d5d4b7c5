import cupy as cp  # pip install cupy-cuda12x

x = cp.zeros(3)
# output
