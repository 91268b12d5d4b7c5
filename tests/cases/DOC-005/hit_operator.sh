helm repo add nvidia https://helm.ngc.nvidia.com/nvidia
helm install --wait gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace
# output
1 crash: https://helm.ngc.nvidia.com/nvidia
2 crash: nvidia/gpu-operator
