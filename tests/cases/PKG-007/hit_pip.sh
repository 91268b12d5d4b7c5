pip install -U "jax[cuda12_local,k8s]"
pip install jax-cuda13-plugin
# output
1 crash: "jax[cuda12_local,k8s]"
2 crash: jax-cuda13-plugin
