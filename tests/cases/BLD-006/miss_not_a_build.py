import os

os.environ["CC"] = "gcc"
print(os.environ.get("CXX", "g++"))
# output
