from .defaults import _C as cfg
from mypackage.config.default import _C
# output
