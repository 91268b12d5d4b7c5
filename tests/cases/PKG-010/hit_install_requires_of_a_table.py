from setuptools import setup

requirements = {
    "install": ["vllm>=0.6", "tensorflow-gpu==2.7.0"],
    "test": ["pytest"],
}
install_requires = requirements["install"]
setup(name="speech", install_requires=install_requires)
# output
path: setup.py
4 crash: "vllm>=0.6"
4 runs-on-cpu: "tensorflow-gpu==2.7.0"
