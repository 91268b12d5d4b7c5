FATAL = ("device-side assert triggered", "illegal memory access")


def after(error):
    return any(text in str(error) for text in FATAL)
# output
5 info: text in str(error)
