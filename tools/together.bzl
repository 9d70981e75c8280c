"""cc_library and cc_test that compile the files of a folder together.

Three quarters of the time of a compilation here is the reading of headers: those of
gRPC alone take two seconds. So a target's files are included by a few generated ones,
and the headers are read once for all of them. What this asks of a file: its unnamed
namespace shares its names with those of the files beside it (docs/adr/0050).

With --define=together=no each file is compiled by itself: for the days on which one
changes the same file again and again, and for tools that want a command for each file.
"""

# The most files that are compiled as one. Test cases take more memory: 1.5 GB for nine of them.
_MOST = 16
_MOST_TESTS = 10

# Files whose names end alike have options of their own in .bazelrc.
_ENDINGS = {
    "_test.cc": "_test",
    "_line.cc": "_line",
    "options.cc": "_line",
}

def _including_impl(ctx):
    ctx.actions.write(
        ctx.outputs.out,
        "".join(["#include \"%s\"\n" % file.short_path for file in ctx.files.srcs]),
    )

_including = rule(
    implementation = _including_impl,
    attrs = {
        "out": attr.output(mandatory = True),
        "srcs": attr.label_list(allow_files = [".cc"]),
    },
)

def _by_ending(files):
    """Ending of the generated file's name -> the files that it may include."""
    found = {}
    for file in sorted(files):
        ending = ""
        for tail in _ENDINGS:
            if file.endswith(tail):
                ending = _ENDINGS[tail]
        found.setdefault(ending, []).append(file)
    return found

def _parts(files, most):
    """Cuts a list into parts of nearly the same length, `most` at most."""
    parts = (len(files) + most - 1) // most
    return [files[len(files) * i // parts:len(files) * (i + 1) // parts] for i in range(parts)]

def _together(name, srcs):
    """Returns (what is compiled, what that includes) for the files of a target."""
    compiled = [file for file in srcs if not file.endswith(".cc") or ":" in file]
    included = []
    for ending, files in _by_ending([file for file in srcs if file not in compiled]).items():
        for number, part in enumerate(_parts(files, _MOST_TESTS if ending == "_test" else _MOST)):
            if len(part) == 1:
                compiled += part
                continue
            out = "%s_together_%d%s.cc" % (name, number + 1, ending)
            _including(name = out[:-len(".cc")], out = out, srcs = part)
            compiled.append(out)
            included += part
    return select({
        "//tools:each_by_itself": srcs,
        "//conditions:default": compiled,
    }), included

def cc_library(name, srcs = [], **kwargs):
    """native.cc_library, many files at a time."""
    compiled, included = _together(name, srcs)
    native.cc_library(name = name, srcs = compiled, textual_hdrs = included, **kwargs)

def cc_test(name, srcs, deps = [], **kwargs):
    """native.cc_test, many files at a time."""
    compiled, included = _together(name, srcs)
    if included:
        native.cc_library(
            name = name + "_included",
            testonly = True,
            textual_hdrs = included,
            visibility = ["//visibility:private"],
        )
        deps = deps + [":%s_included" % name]
    native.cc_test(name = name, srcs = compiled, deps = deps, **kwargs)
