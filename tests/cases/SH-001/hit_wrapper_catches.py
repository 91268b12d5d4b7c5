import subprocess


def _run(command):
    try:
        return subprocess.check_output(command)
    except Exception:
        return None


driver = _run(["nvidia-smi", "--query-gpu=driver_version"])
# output
11 info: "nvidia-smi"
