from helpers import _is_ampere_or_later, is_hopper

if not is_hopper():
    raise RuntimeError("needs Hopper")
if not _is_ampere_or_later():
    raise RuntimeError("needs Ampere")
# output
3 perf: is_hopper()
5 perf: _is_ampere_or_later()
