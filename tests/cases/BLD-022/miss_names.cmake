# target_link_libraries(app CUDA::cudart)
add_library(cuda STATIC a.cpp)
target_link_libraries(cuda PRIVATE m cudasim)
message(STATUS "CUDA::cudart")
set(BACKEND cuda)
if(TARGET CUDA::cudart)
endif()
# output
