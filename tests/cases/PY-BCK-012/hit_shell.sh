export CUBLAS_WORKSPACE_CONFIG=:16:8
python train.py
# output
1 works-as-is: CUBLAS_WORKSPACE_CONFIG=:16:8
