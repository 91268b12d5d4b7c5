import subprocess

from torch import cuda

major, minor = cuda.get_device_capability()
percent = "compute_%d%d" % (major, minor)
braces = "sm_{}{}".format(major, minor)
plus = "sm_" + str(major) + str(minor)
subprocess.run(["nvcc", "-arch", braces, "k.cu"])
# output
6 build-fail: "compute_%d%d" % (major, minor)
7 build-fail: "sm_{}{}".format(major, minor)
8 build-fail: "sm_" + str(major)
