from .builder import CUDAOpBuilder


class FusedBuilder(CUDAOpBuilder):
    def nvcc_args(self):
        args = ["-O3", "-use_fast_math", "-maxrregcount=64"]
        if self.debug:
            args.append("-G")
        args += ["-Xcompiler", "-fPIC", "-rdc=true", "-t=0", "-diag-suppress=177"]
        return args
# output
6 perf: "-use_fast_math"
6 build-fail: "-maxrregcount=64"
8 build-fail: "-G"
9 info: "-Xcompiler"
9 build-fail: "-rdc=true"
9 build-fail: "-t=0"
9 info: "-diag-suppress=177"
