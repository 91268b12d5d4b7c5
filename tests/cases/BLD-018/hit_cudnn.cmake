project(engine LANGUAGES CXX)
find_package(CUDNN REQUIRED)
find_package(OpenMP REQUIRED)
# output
path: CMakeLists.txt
2 build-fail: find_package(CUDNN REQUIRED)
