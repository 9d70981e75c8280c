"""Files of commands and what they printed.

Each entry: `$ COMMAND`, its standard output as it was, its standard error with `2> ` before each line, `< TEXT` where
something was typed at it, and `= STATUS`, the exit status. `$ USER: COMMAND` was run by that user, others by root.
"""


class Transcript:
    def __init__(self, slurm, path):
        self.slurm = slurm
        self.path = path
        self.path.write_text("")

    def run(self, command, user=None, typed=None):
        ended = self.slurm.run(command, user=user, typed=typed)
        shown = f"{user}: {command}" if user else command
        with self.path.open("a") as file:
            file.write(f"$ {shown}\n")
            if typed is not None:
                file.write(f"< {typed.rstrip()}\n")
            file.write(whole_lines(ended.stdout.replace(str(self.slurm.home), "/var/spool/slurm")))
            file.write("".join(f"2> {line}\n" for line in ended.stderr.splitlines()))
            file.write(f"= {ended.returncode}\n")
        return ended

    def all(self, commands, user=None):
        """Runs a command a line; `< TEXT` at its end is typed at it."""
        for line in commands.strip().splitlines():
            command, _, typed = line.strip().partition(" < ")
            self.run(command, user=user, typed=typed + "\n" if typed else None)


def whole_lines(text):
    return text if not text or text.endswith("\n") else text + "\n"
