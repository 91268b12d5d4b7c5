class Stream:
    def __init__(self, handle):
        self.cuda_stream = handle

    def pin_memory(self):
        return self.pin_memory()

    def raw(self):
        return self.cuda_stream
# output
target: gaudi
