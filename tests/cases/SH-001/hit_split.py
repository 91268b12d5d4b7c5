import shlex
import subprocess as sp


def free_memory():
    command = "nvidia-smi --query-gpu=memory.free --format=csv"
    return sp.check_output(command.split()).decode("ascii")


def names():
    return sp.run(shlex.split("nvidia-smi -L"))


def more(extra):
    command = ["nvidia-smi", "--query-gpu=name"] + extra
    return sp.run(command)
# output
6 crash: "nvidia-smi --query-gpu=memory.free --format=csv"
11 crash: "nvidia-smi -L"
15 crash: "nvidia-smi"
