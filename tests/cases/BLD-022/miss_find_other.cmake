find_library(M m)
find_library(Z NAMES z zlib PATHS /opt/cuda)
# output
