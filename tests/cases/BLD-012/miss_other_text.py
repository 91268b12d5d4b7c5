from setuptools import setup

n = 3
sources = [f"kernel{i}.cu" for i in range(n)]
names = f"{n}.cu" + f"acu{n}" + f"cu_{n}"
cu = "cu"
plain = "1.0+cu124"
setup(name="x")
# output
path: setup.py
