import subprocess

subprocess.run(f"nsys profile -o out python {script}", shell=True, check=True)
# output
3 crash: f"nsys profile -o out python {script}"
