import torch


class RandomBuilder:
    def extra_ldflags(self):
        if torch.version.hip is not None:
            return ["-lhiprand"]
        return ["-lm", "-lpthread"]

    def cxx_flags(self):
        return ["-lcurand"]

    def extra_link_args(self):
        if torch.version.hip is None:
            return ["-lcurand"]
        return []
# output
