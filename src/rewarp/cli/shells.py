"""Scripts for shells that complete rewarp's commands, options and values; written from the parser's own description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rewarp.cli.description import Argument, Command, Kind

# --- bash -------------------------------------------------------------------------------------


def bash(top: Command) -> str:
    """For bash 3.2 and later. Where nothing of ours fits, readline completes names of files."""
    below = "|".join(f'"{command.name}"' for command in list(top.all())[1:])
    values = [line for command in top.all() for line in _bash_values(command)]
    words = [line for command in top.all() for line in _bash_words(command)]
    return "\n".join([_BASH_HEAD.replace("COMMANDS", below), *values, _BASH_MIDDLE, *words, _BASH_END])


_BASH_HEAD = """# Completion of rewarp for bash; rewarp completion bash writes it.
_rewarp() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command=rewarp before="" i
    local IFS=$' \\t\\n'
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && return
        case "$command ${COMP_WORDS[i]}" in
            COMMANDS) command="$command ${COMP_WORDS[i]}" ;;
        esac
    done
    # `--option=value` is three words for bash.
    [[ $cur == "=" ]] && cur=""
    [[ $prev == "=" ]] && prev="${COMP_WORDS[COMP_CWORD-2]}"
    [[ $cur == *,* ]] && before="${cur%,*},"
    case "$command:$prev" in"""
_BASH_MIDDLE = """    esac
    case "$command" in"""
_BASH_END = """    esac
}
complete -o bashdefault -o default -F _rewarp rewarp
"""


def _bash_values(command: Command) -> Iterator[str]:
    for argument in _options(command):
        pattern = "|".join(f'"{command.name}:{name}"' for name in argument.names)
        answer = {
            Kind.WORDS: f'COMPREPLY=($(compgen -W "{" ".join(argument.words)}" -- "$cur"))',
            Kind.LIST: f'COMPREPLY=($(compgen -P "$before" -W "{" ".join(argument.words)}" -- "${{cur##*,}}"))',
            Kind.FOLDERS: "compopt -o dirnames 2>/dev/null",
        }.get(argument.kind, "")
        if argument.value:
            # A value that may be left out may be followed by anything else.
            leave = "[[ $cur == -* ]] || return" if argument.is_optional else "return"
            yield f"        {pattern}) {answer + '; ' if answer else ''}{leave} ;;"


def _bash_words(command: Command) -> Iterator[str]:
    options = " ".join(name for argument in _options(command) for name in argument.names)
    inner = " ".join(each.word for each in command.commands)
    places = _positional_arguments(command)
    words = " ".join([inner, *(" ".join(place.words) for place in places if place.kind is Kind.WORDS)]).strip()
    yield f'        "{command.name}")'
    yield f'            [[ $cur == -* ]] && COMPREPLY=($(compgen -W "{options}" -- "$cur")) && return'
    if words:
        yield f'            COMPREPLY=($(compgen -W "{words}" -- "$cur"))'
    yield "            ;;"


# --- zsh --------------------------------------------------------------------------------------


def zsh(top: Command) -> str:
    """For a folder of ``$fpath``, as ``_rewarp``; it may be sourced as well."""
    functions = [line for command in top.all() for line in (*_zsh_function(command), "")]
    return "\n".join(["#compdef rewarp", "# Completion of rewarp for zsh; rewarp completion zsh writes it.", "",
                      *functions, _ZSH_END])  # fmt: skip


_ZSH_END = """if [ "$funcstack[1]" = "_rewarp" ]; then
    _rewarp "$@"
else
    compdef _rewarp rewarp
fi
"""


def _zsh_function(command: Command) -> Iterator[str]:
    name = _function(command)
    options = [line for argument in command.options for line in _zsh_option(argument)]
    if not command.commands:
        places = [_zsh_place(argument) for argument in command.positional]
        yield from (f"{name}() {{", " \\\n        ".join(["    _arguments -s -S", *options, *places]), "}")
        return
    yield from (f"{name}() {{", "    local context state line", "    typeset -A opt_args", "    local -a commands")
    yield "    commands=("
    yield from (f"        {_quoted(f'{inner.word}:{inner.summary}')}" for inner in command.commands)
    yield "    )"
    if unsaid := command.unsaid:
        yield "    if (( CURRENT > 2 )) && (( ! ${commands[(I)$words[2]:*]} )) || [[ $words[2] == -* ]]; then"
        yield f"        {_function(unsaid)}"
        yield "        return"
        yield "    fi"
    rest = ["'1:command:->command'", "'*::argument:->argument'"]
    yield " \\\n        ".join(["    _arguments -C", *options, *rest])
    yield "    case $state in"
    yield f"        command) _describe command commands{'; _files' if command.unsaid else ''} ;;"
    yield "        argument)"
    yield "            case $words[1] in"
    yield from (f"                {inner.word}) {_function(inner)} ;;" for inner in command.commands)
    yield from ("            esac", "            ;;", "    esac", "}")


def _zsh_option(argument: Argument) -> Iterator[str]:
    told = re.sub(r"([\\:\[\]])", r"\\\1", argument.help)
    value = f":{':' if argument.is_optional else ''}{_zsh_value(argument)}" if argument.value else ""
    for name in argument.names:
        others = "" if argument.is_repeatable else f"({' '.join(argument.names)})"
        form = f"{name}=" if argument.value and name.startswith("--") else f"{name}+" if argument.value else name
        yield _quoted(f"{'*' if argument.is_repeatable else others}{form}[{told}]{value}")


def _zsh_place(argument: Argument) -> str:
    before = "*:" if argument.is_repeatable else "::" if argument.is_optional else ":"
    return _quoted(f"{before}{_zsh_value(argument)}")


def _zsh_value(argument: Argument) -> str:
    what = re.sub(r"([\\:\[\]])", r"\\\1", argument.value)
    action = {
        Kind.WORDS: f"({' '.join(argument.words)})",
        Kind.LIST: f"_sequence compadd - {' '.join(argument.words)}",
        Kind.FILES: "_files",
        Kind.FOLDERS: "_files -/",
    }.get(argument.kind, " ")
    return f"{what}:{action}"


# --- fish -------------------------------------------------------------------------------------


def fish(top: Command) -> str:
    """For ``~/.config/fish/completions/rewarp.fish``."""
    below = " ".join(_quoted(command.name) for command in list(top.all())[1:])
    return (
        "\n".join([_FISH_HEAD.replace("COMMANDS", below), *(line for each in top.all() for line in _fish(each))]) + "\n"
    )


_FISH_HEAD = """# Completion of rewarp for fish; rewarp completion fish writes it.
function __rewarp_is --description 'Whether the words so far name this command'
    set -l command rewarp
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case COMMANDS
                set command "$command $word"
        end
    end
    test "$command" = "$argv[1]"
end
"""


def _fish(command: Command) -> Iterator[str]:
    here = f'__rewarp_is "{command.name}"'
    start = f"complete -c rewarp -n {_fish_quoted(here)}"
    for inner in command.commands:
        alone = "" if command.unsaid else " -f"
        yield f"{start}{alone} -a {inner.word} -d {_fish_quoted(inner.summary)}"
    for argument in _options(command):
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in argument.names)
        # What may be left out is not asked for: the next word may be the path.
        takes = "" if not argument.value or argument.is_optional else _fish_value(argument)
        yield f"{start} {names}{takes} -d {_fish_quoted(argument.help)}"
    for place in _positional_arguments(command):
        if place.kind is Kind.WORDS:
            yield f"{start} -f -a {_fish_quoted(' '.join(place.words))}"


def _fish_value(argument: Argument) -> str:
    words = " ".join(argument.words)
    return {
        Kind.WORDS: f" -x -a {_fish_quoted(words)}",
        Kind.LIST: f" -x -a {_fish_quoted(f'(__fish_append , {words})')}",
        Kind.FILES: " -r -F",
        Kind.FOLDERS: " -x -a '(__fish_complete_directories)'",
    }.get(argument.kind, " -x")


# --- all --------------------------------------------------------------------------------------


def _options(command: Command) -> list[Argument]:
    """Its own, and those of the subcommand that is meant where none is named."""
    unsaid = command.unsaid.options if command.unsaid else []
    own = command.options
    return own + [argument for argument in unsaid if not {*argument.names} & {n for each in own for n in each.names}]


def _positional_arguments(command: Command) -> Iterable[Argument]:
    return command.unsaid.positional if command.unsaid else command.positional


def _function(command: Command) -> str:
    return "_" + re.sub(r"\W", "_", command.name)


def _quoted(text: str) -> str:
    """One word for sh and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    """One word for fish, where a backslash escapes inside quotes too."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
