import mylib.testing as testing

if not testing.SM90OrLater:
    raise RuntimeError("needs Hopper")
# output
target: gaudi
3 info: testing.SM90OrLater
