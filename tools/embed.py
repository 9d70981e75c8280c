"""Writes files into a C++ source, for a binary that carries them.

usage: embed.py FUNCTION FILE... > SOURCE.cc

FUNCTION is declared in server/gateway/embedded_files.h; a file is known by the last part of its name.
"""

import pathlib
import sys

BYTES_A_LINE = 64


def literal(content):
    """The content as string literals, a line each; octal digits end after the third."""
    for begin in range(0, len(content), BYTES_A_LINE):
        yield '"' + "".join(f"\\{byte:03o}" for byte in content[begin:begin + BYTES_A_LINE]) + '"'


def main():
    function, *files = sys.argv[1:]
    print('#include "server/gateway/embedded_files.h"\n\nnamespace priorityd::gateway {\n')
    print(f"const std::vector<EmbeddedFile>& {function}() {{")
    print("  static const auto* const kFiles = new std::vector<EmbeddedFile>{")
    for name in sorted(files, key=lambda file: pathlib.Path(file).name):
        content = pathlib.Path(name).read_bytes()
        print(f'    {{"{pathlib.Path(name).name}", absl::string_view(')
        print("\n".join(literal(content)) or '""')
        print(f", {len(content)})}},")
    print("  };\n  return *kFiles;\n}\n\n}  // namespace priorityd::gateway")


if __name__ == "__main__":
    main()
