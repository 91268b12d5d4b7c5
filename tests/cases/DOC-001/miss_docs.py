HELP = "for example nvidia/cuda:12.4.0-devel-ubuntu22.04"
print("starting from nvidia/cuda:12.4.0 images")
names = {"nvidia/cuda": 1}
# output
