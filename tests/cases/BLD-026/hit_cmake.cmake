set(HIP_PLATFORM "nvidia")
find_package(hip REQUIRED)
# output
1 build-fail: "nvidia"
