message(STATUS "run nvidia-smi")
add_custom_target(x COMMAND ${CMAKE_COMMAND} -E echo hello COMMENT "nvidia-smi")
# output
