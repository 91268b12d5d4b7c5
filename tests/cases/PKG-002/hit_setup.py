import setuptools

setuptools.setup(
    name="kernels",
    install_requires=["torch", "triton >= 3.0"],
    extras_require={"test": ["pytest"]},
)
# output
path: setup.py
5 info: "triton >= 3.0"
