class RandomBuilder:
    def extra_ldflags(self):
        return super().extra_ldflags() + ["-lcurand"]

    def libraries_args(self):
        args = super().libraries_args()
        args += ["-lcublas"]
        return args
# output
3 build-fail: "-lcurand"
7 build-fail: "-lcublas"
