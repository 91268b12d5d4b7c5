# FetchContent_Declare(cutlass)
message(STATUS "cutlass")
set(CUTLASS_ENABLE_HEADERS_ONLY ON)
find_package(CutlassFree)
# output
