from apex import amp
from apex.optimizers import FusedAdam
import apex


def flat():
    import amp_C
# output
1 info: from apex import amp
2 info: from apex.optimizers import FusedAdam
3 info: import apex
7 info: import amp_C
