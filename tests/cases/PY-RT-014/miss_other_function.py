from mycluster import init_process_group

init_process_group("mpi")
backend = "ucc"  # dist.init_process_group("ucc")
# output
