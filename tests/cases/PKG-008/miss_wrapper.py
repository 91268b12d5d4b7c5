import subprocess


def run_command(command):
    return subprocess.run(command, shell=True)


def say(text):
    subprocess.run(["echo"])
    print(text)


say("conda install -y cuda -c nvidia")
logger.run_command("conda install -y cuda -c nvidia")
run_command("conda install -y ninja git")
# output
