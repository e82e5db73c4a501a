#!/usr/bin/env python3
"""The manual page and the completions know every command and option that --help tells of.

    run.py PROGRAM DIRECTORY

DIRECTORY holds berglite.1, berglite.bash, _berglite and berglite.fish. Completion in bash is
carried out; zsh, fish and groff look at their files where they are installed.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import suite  # noqa: E402


def read_help(program, path):
    """The commands below a command, its flags and its usage, in what its --help prints."""
    done = subprocess.run([program, *path, "--help"], capture_output=True, text=True, check=True)
    # Commands stand under headings of their own, options and what is below all of them do not.
    below = re.split(r"^Exit codes:|^Example:", done.stdout, maxsplit=1, flags=re.MULTILINE)[0]
    commands = re.findall(r"^  ([a-z][a-z-]*)  ", below, re.MULTILINE)
    flags = re.findall(r"^  (?:-[a-z], ?|)(--[a-z0-9-]+)", done.stdout, re.MULTILINE)
    usage = re.search(r"^Usage: (.*)$", done.stdout, re.MULTILINE)[1]
    return commands, flags, usage.replace("[OPTIONS]", "[options]")


def walk(program, path=()):
    """Yields (path, commands, flags, usage) of every command."""
    commands, flags, usage = read_help(program, path)
    yield path, commands, flags, usage
    for command in commands:
        yield from walk(program, (*path, command))


def complete_in_bash(script, words):
    """What bash offers after these words."""
    line = " ".join(f"'{word}'" for word in ("berglite", *words, ""))
    program = (f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words) + 1}; _berglite; "
               r"""printf '%s\n' "${COMPREPLY[@]}" """)
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


class Checks:
    """Counts what holds and prints what does not."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, holds, what):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"not so: {what}")


def check_command(checks, directory, command):
    path, commands, flags, _ = command
    name = " ".join(("berglite", *path))
    offered = complete_in_bash(directory / "berglite.bash", path)
    checks.expect(set(offered) >= {*commands, *flags}, f"bash offers after {name}: {offered}")
    zsh = (directory / "_berglite").read_text()
    section = zsh.partition(f"    ('{''.join(' ' + word for word in path)}')\n")[2]
    section = section.partition(") ;;")[0]
    fish = (directory / "berglite.fish").read_text()
    for word in (*commands, *flags):
        checks.expect(f"'{word}:" in section, f"zsh knows {word} after {name}")
        wanted = f" -l {word[2:]} " if word.startswith("--") else f" -a {word} "
        lines = [line for line in fish.splitlines() if wanted in line]
        checks.expect(any(all(part in line for part in path) for line in lines),
                      f"fish knows {word} after {name}")


def check_manual(checks, directory, command):
    path, commands, flags, usage = command
    if commands and path:
        return  # cannot be carried out by itself
    page = (directory / "berglite.1").read_text().replace("\\-", "-")
    heading = ".SS \\fB" + " ".join(("berglite", *path)) + "\\fR" if path else ".SH OPTIONS"
    section = re.split(r"^\.S[SH] ", page.partition(heading)[2], maxsplit=1, flags=re.MULTILINE)[0]
    if path:
        line = heading + section.partition("\n")[0]
        line = re.sub(r"^\.SS |\\f[BIR]", "", line)
        checks.expect(line == usage, f"the manual shows {usage}, not {line}")
    for flag in flags:
        checks.expect(f"\\fB{flag}\\fR" in section, f"the manual knows {flag} of {heading}")


def check_with_tools(checks, directory):
    for tool, arguments, name in (("zsh", ["-n"], "_berglite"), ("fish", ["-n"], "berglite.fish"),
                                  ("groff", ["-man", "-ww", "-z"], "berglite.1")):
        if not shutil.which(tool):
            continue
        done = subprocess.run([tool, *arguments, str(directory / name)], capture_output=True,
                              text=True, check=False)
        checks.expect(done.returncode == 0 and not done.stderr,
                      f"{tool} takes {name}: {done.stderr}")


def main():
    program, directory = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
    checks = Checks()
    commands = list(walk(program))
    checks.expect(len(commands) > 8, "--help tells of the commands")
    for command in commands:
        check_command(checks, directory, command)
        check_manual(checks, directory, command)
    check_with_tools(checks, directory)
    suite.close(checks.passed, checks.failed, 0)


if __name__ == "__main__":
    main()
