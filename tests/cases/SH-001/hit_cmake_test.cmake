add_test(NAME has_gpu COMMAND nvidia-smi)
execute_process(COMMAND nvidia-smi --query-gpu=compute_cap OUTPUT_VARIABLE caps)
execute_process(COMMAND nvidia-smi COMMAND_ERROR_IS_FATAL ANY)
# output
1 crash: nvidia-smi
2 info: nvidia-smi
3 crash: nvidia-smi
