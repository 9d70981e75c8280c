"""Reference pages out of the --help of the binaries."""

import re
import subprocess

# The flags of priorityd by what they are about; a flag of no group fails the build.
FLAG_GROUPS = {
    "The database": ("data_dir", "database_url", "database_url_file",
                     "reports_database_url", "reports_database_url_file", "reports_max_lag", "backup_dir", "backup_keep",
                     "upgrade_postgres", "migrate_only", "contract", "cell"),
    "Where it listens": ("listen", "socket_mode", "socket_group", "insecure", "expose_grpc", "proxy_secret_file",
                         "drain_seconds"),
    "Identity and TLS": ("auth_file", "tls_cert", "tls_key", "tls_client_ca", "group_file"),
    "HTTP, the page and metrics": ("http_", "metrics_accounts"),
    "Sign-in on the page": ("oidc_",),
    "Bounds and quotas": ("max_message_mib", "max_jobs", "max_records", "max_tracked_jobs", "max_all_tracked_jobs",
                          "memory_budget", "quota"),
    "Health and recalculation": ("max_staleness", "max_commit", "max_clock_offset", "recalculation_threads",
                                 "history_", "forecast_interval"),
    "Site factor services": ("site_factor_",),
    "The log": ("log_", "slow_call_ms"),
    "Others": ("config", "check_config", "help", "version"),
}
TITLE = re.compile(r"^(Options|Positionals|Subcommands):$")
ENTRY = re.compile(r"^  \S")
COLUMN = 30  # Where CLI11 begins descriptions.
# Commands that run another program, whose options are on a page of its own.
ELSEWHERE = {"collect": "`priorityd-collect` has the options: [collectors](collectors.md)."}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={"HOME": "/", "COLUMNS": "100"}).stdout


def sections(help_text):
    """(title, lines) of each part of a --help; the first part, and what stands at the end, has no title."""
    found = [("", [])]
    for line in help_text.splitlines():
        if TITLE.match(line):
            found.append((line.rstrip(":"), []))
        elif not line.strip() and found[-1][0]:
            found.append(("", []))
        else:
            found[-1][1].append(line)
    stripped = [(title, "\n".join(lines).strip("\n").split("\n")) for title, lines in found]
    return [(title, lines) for title, lines in stripped if any(lines)]


def entries(lines):
    """[name, value, description] of each line of a part; descriptions go on below."""
    found = []
    for line in lines:
        if not ENTRY.match(line):
            found[-1][2] = (found[-1][2] + " " + line.strip()).strip()
            continue
        head, description = line[:COLUMN], line[COLUMN:]
        if len(line) > COLUMN and line[COLUMN - 1] != " ":
            head, description = line, ""
        name, _, value = head.strip().partition(" ")
        found.append([name, value.strip(), description.strip()])
    return found


def options(help_text):
    """The same of the part Options."""
    return [entry for title, lines in sections(help_text) if title == "Options" for entry in entries(lines)]


def cell(text):
    """Markdown of a description, with links to the pages that it names."""
    parts = re.split(r"(`[^`]*`)", text)  # In code a bar divides no cells.
    parts[::2] = [part.replace("|", "\\|").replace("<", "&lt;") for part in parts[::2]]
    text = "".join(parts)
    return re.sub(r"\bdocs/([a-z-]+)\.md\b", r"[\1](\1.md)", text)


def escaped(text):
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([<*_])", r"\\\1", part) for part in parts)


def group_of(flag):
    name = flag.lstrip("-")
    for title, names in FLAG_GROUPS.items():
        if any(name == n or (n.endswith("_") and name.startswith(n)) for n in names):
            return title
    raise ValueError(f"{flag}: got a flag of no group, want it in FLAG_GROUPS of tools/docs/command_pages.py")


def value_and_default(value):
    """("HOST:PORT", "127.0.0.1:7411") of "HOST:PORT [127.0.0.1:7411]"; "Needs: ..." goes."""
    value, _, needs = value.partition("Needs:")
    match = re.match(r"^(.*?)\s*\[(?!%)([^\]]*)\]$", value.strip())
    name, default = match.groups() if match else (value.strip(), "")
    return name, default, needs.strip()


def flags_page(priorityd):
    """Every flag of priorityd, in groups."""
    text = ["# Flags of priorityd", "",
            "Generated from `priorityd --help`. Every flag is written `--NAME=VALUE`. Times are in the unit that the",
            "name or the value states. `PRIORITYD_DATABASE_URL` in the environment is the same as `--database_url`.", ""]
    groups = {title: [] for title in FLAG_GROUPS}
    for option in options(output(priorityd, "--help")):
        groups[group_of(option[0])].append(option)
    for title, rows in groups.items():
        text += [f"## {title}", "", "| flag | value [default] | meaning |", "|---|---|---|"]
        for flag, value, description in rows:
            name, default, needs = value_and_default(value)
            code = f"`{name}`" if name else ""
            code += f" [{cell(default)}]" if default else ""
            more = f" Needs `{needs}`." if needs else ""
            text.append(f"| `{flag}` | {code} | {cell(description)}.{more} |")
        text.append("")
    return "\n".join(text)


def subcommands(help_text):
    """Names of the commands that a --help lists."""
    return [name for title, lines in sections(help_text) if title == "Subcommands" for name, _, _ in entries(lines)]


def commands_page(prioctl):
    """The --help of prioctl and of each command."""
    help_text = output(prioctl, "--help")
    text = ["# Commands of prioctl", "",
            "Generated from `prioctl --help` and `prioctl COMMAND --help`. `prioctl man | man -l -` shows the same as a",
            "manual page. [The guide](api.md#prioctl) has the files that the commands read.", ""]
    text += described(help_text, [])
    for name in subcommands(help_text):
        text += command(prioctl, [name])
    return "\n".join(text)


def command(prioctl, words):
    title = ["#" * min(1 + len(words), 4) + " prioctl " + " ".join(words), ""]
    if words[0] in ELSEWHERE:
        return [*title, ELSEWHERE[words[0]], ""]
    help_text = output(prioctl, *words, "--help")
    text = title + described(help_text, words)
    for name in subcommands(help_text):
        text += command(prioctl, [*words, name])
    return text


def described(help_text, words):
    """A --help as Markdown: its parts as tables, the rest as it is."""
    text = []
    for title, lines in sections(help_text):
        rows = [entry for entry in entries(lines) if entry[0] != "-h,--help"] if title else []
        if title and rows:
            text += [f"| {title.lower()[:-1]} | |", "|---|---|", *(row(entry, title, words) for entry in rows), ""]
        elif not title and not text and lines[-1].startswith("Usage:"):
            text += [*map(escaped, lines[:-1]), "", "```text", lines[-1].removeprefix("Usage: "), "```", ""]
        elif not title:
            text += ["```text", *lines, "```", ""]
    return text


def row(entry, title, words):
    name, value, description = entry
    if title == "Subcommands":
        anchor = "-".join(["prioctl", *words, name])
        return f"| [{name}](#{anchor}) | {cell(description)} |"
    code = f"`{name} {value}`".replace(" `", "`")
    return f"| {code} | {cell(description)} |"
