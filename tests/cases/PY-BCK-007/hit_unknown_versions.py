from torch.backends.cuda import preferred_linalg_library as prefer

LIBRARY = "cusolver"
prefer(LIBRARY)
prefer("magma" if LIBRARY else "default")
# output
4 info: prefer(LIBRARY)
5 info: "magma"
