import torch


def sm_version():
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


class Ops:
    def __init__(self, device):
        self.capability = torch.cuda.get_device_capability(device)

    def arch(self):
        return self.capability[0]

    def fast(self):
        return self.capability >= (8, 9) or self.arch() == 11


def counts():
    props = torch.cuda.get_device_properties(0)
    return props.multi_processor_count, props.major


sms, generation = counts()
if generation > 8 and sm_version() != 86:
    pass
# output
17 info: self.capability >= (8, 9)
26 perf: generation > 8
# fixed
--- hit_helper.py
+++ hit_helper.py
@@ -23,5 +23,5 @@
 
 
 sms, generation = counts()
-if generation > 8 and sm_version() != 86:
+if torch.version.hip is None and generation > 8 and sm_version() != 86:
     pass
