"""Print the completions for a shell: Tab then proposes options, jobs, nodes, partitions and recipes
after rmsd, rsub and the other commands.
"""

from __future__ import annotations

import argparse

from rmsd_cli.completion.words import PROGRAMS

EPILOG = """\
exit codes:
  0  done
  2  wrong usage

examples:
  eval "$(rmsd completions bash)"                                  in ~/.bashrc
  eval "$(rmsd completions zsh)"                                   in ~/.zshrc, after compinit
  rmsd completions fish | source                                   in ~/.config/fish/config.fish
  rmsd completions bash > /etc/bash_completion.d/rmsd              for all users
"""

# bash splits words at = and :, and replaces only what follows the last of them.
_BASH = """\
_rmsd_complete() {{
    local line=${{COMP_LINE:0:COMP_POINT}} current words
    read -r -a words <<< "$line"
    if [[ $line == *[[:space:]] ]]; then words+=(""); fi
    words[0]=${{words[0]##*/}}
    current=${{words[${{#words[@]}}-1]}}
    mapfile -t COMPREPLY < <(rmsd-complete --plain "${{words[@]}}" 2> /dev/null)
    local cut=${{current%"${{current##*[=:]}}"}} i
    for i in "${{!COMPREPLY[@]}}"; do COMPREPLY[i]=${{COMPREPLY[i]#"$cut"}}; done
}}
complete -o default -F _rmsd_complete {programs}
"""

_ZSH = """\
_rmsd_complete() {{
    local -a lines proposed
    local line
    lines=("${{(@f)$(rmsd-complete "${{words[1]:t}}" "${{(@)words[2,CURRENT]}}" 2> /dev/null)}}")
    for line in $lines; do
        if [[ $line == *$'\\t'* ]]; then
            proposed+=("${{${{line%%$'\\t'*}}//:/\\\\:}}:${{line#*$'\\t'}}")
        elif [[ -n $line ]]; then
            proposed+=("${{line//:/\\\\:}}")
        fi
    done
    if (( $#proposed )); then _describe -V proposal proposed; else _files; fi
}}
compdef _rmsd_complete {programs}
"""

_FISH = """\
function __rmsd_complete
    set -l words (commandline -opc) (commandline -ct)
    set words[1] (string split / -- $words[1])[-1]
    set -l found (rmsd-complete $words 2> /dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
for program in {programs}
    complete -c $program -f -a '(__rmsd_complete)'
end
"""

SHELLS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    print(SHELLS[args.shell].format(programs=" ".join(PROGRAMS)), end="")
    return 0
