import subprocess as sp


def line(text):
    return sp.run(text.split())


def version():
    parts = "nvidia-smi -L".split()
    return parts[0]


def other():
    return sp.run("uname -a;nvidia-smi".split(";"))
# output
