"""The C++ client library as programs outside of the checkout use it: headers under one prefix, an archive, CMake, pkg-config."""

import pathlib
import re
import shutil
import tempfile

from packaging import checkout

TARGET = "//client:priorityd-client"
ARCHIVE = "libpriorityd-client.a"
TEMPLATES = pathlib.Path(__file__).resolve().parent / "cpp"
# Parts of the library that its callers never see.
PRIVATE = ("list_pages.h", "servers.h", "stubs.h")
OURS = re.compile(r'^#include "((?:client|priority/v1)/)', re.MULTILINE)


def multiarch():
    """The name of Debian's folder for libraries, as x86_64-linux-gnu."""
    return checkout.output("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()


def headers(to):
    """Writes <priorityd/client/*.h> and <priorityd/priority/v1/*.pb.h> below `to`, with the messages' .proto files."""
    for path in sorted((checkout.ROOT / "client").glob("*.h")):
        if path.name not in PRIVATE:
            header(path, to / "priorityd/client" / path.name)
    protos = [path.relative_to(checkout.ROOT / "proto") for path in sorted((checkout.ROOT / "proto/priority/v1").glob("*.proto"))]
    services = [path for path in protos if "\nservice " in (checkout.ROOT / "proto" / path).read_text(encoding="utf-8")]
    with tempfile.TemporaryDirectory() as made:
        checkout.run("protoc", "-Iproto", "-I/usr/include", f"--cpp_out={made}", *protos)
        checkout.run("protoc", "-Iproto", "-I/usr/include", "--plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin",
                     f"--grpc_out={made}", *services)
        for path in sorted(pathlib.Path(made).rglob("*.h")):
            header(path, to / "priorityd" / path.relative_to(made))
    for path in protos:
        checkout.write(to / "priorityd" / path, (checkout.ROOT / "proto" / path).read_text(encoding="utf-8"))


def header(source, target):
    """Copies a header; it includes the others under the same prefix."""
    checkout.write(target, OURS.sub(r'#include "priorityd/\1', source.read_text(encoding="utf-8")))


def fill(usr, archive):
    """Fills a folder as /usr is filled by the package libpriorityd-dev."""
    headers(usr / "include")
    library = usr / "lib" / multiarch()
    library.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(archive, library / ARCHIVE)
    (library / ARCHIVE).chmod(0o644)
    template("priorityd-client.pc", library / "pkgconfig", "${pcfiledir}/../../../include")
    for name in ("priorityd-config.cmake", "priorityd-config-version.cmake"):
        template(name, library / "cmake/priorityd", "../../../../include")


def template(name, folder, include):
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    checkout.write(folder / name, text.replace("@VERSION@", checkout.VERSION).replace("@INCLUDE@", include))
