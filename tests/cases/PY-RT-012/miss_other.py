from mpi4py import MPI
from cupy.cuda import nccl

comm = MPI.COMM_WORLD
comm.scatter([1, 2])
nccl.get_version()
# output
