from apex import amp
from apex.optimizers import FusedAdam
import apex


def flat():
    import amp_C
# output
1 crash: from apex import amp
2 crash: from apex.optimizers import FusedAdam
3 crash: import apex
7 crash: import amp_C
