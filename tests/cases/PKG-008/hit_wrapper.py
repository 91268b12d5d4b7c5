import subprocess


def run_command(command, check=False):
    command = ". conda.sh && " + command
    return subprocess.run(command, shell=True, check=check)


class Installer:
    def sh(self, line):
        subprocess.check_call(line.split())

    def install(self):
        self.sh("conda install -y pytorch-cuda=12.1 -c pytorch")


run_command("conda install -y cuda ninja git -c nvidia", check=True)
# output
14 runs-on-cpu: "conda install -y pytorch-cuda=12.1 -c pytorch"
17 info: "conda install -y cuda ninja git -c nvidia"
17 info: "conda install -y cuda ninja git -c nvidia"
