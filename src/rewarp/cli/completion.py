"""``rewarp completion SHELL``: the script that completes rewarp's words in a shell."""

from __future__ import annotations

import argparse

_EPILOG = """bash: eval "$(rewarp completion bash)" in ~/.bashrc
zsh: rewarp completion zsh > a folder of $fpath, as _rewarp
fish: rewarp completion fish > ~/.config/fish/completions/rewarp.fish
exit codes: 0 printed"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "completion",
        help="complete commands, options and values in bash, zsh or fish",
        description="Prints the script that completes rewarp's commands, options and values in a shell.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp import cli, printing
    from rewarp.cli import shells
    from rewarp.cli.description import describe

    script = {"bash": shells.bash, "zsh": shells.zsh, "fish": shells.fish}[arguments.shell]
    printing.emit(script(describe(cli.parser())).encode())
    return 0
