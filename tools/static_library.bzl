"""One archive of a library and of the libraries of this workspace that it uses, for programs that Bazel does not build.

Its objects are position-independent if the libraries ask for it (copts = ["-fPIC"]), so that shared
libraries can have them too. Libraries of the host are not inside: those who link the archive name
them.
"""

def _static_library_impl(ctx):
    objects = []
    for dep in ctx.attr.deps:
        for input in dep[CcInfo].linking_context.linker_inputs.to_list():
            # Messages of protobuf's own are in the host's libprotobuf.
            if not input.owner.workspace_name:
                for library in input.libraries:
                    objects += library.objects or library.pic_objects or []
    out = ctx.actions.declare_file("lib%s.a" % ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add(out)
    arguments.add_all(objects)
    ctx.actions.run(
        executable = "/usr/bin/ar",
        arguments = ["qcsD", arguments],
        inputs = objects,
        outputs = [out],
        mnemonic = "StaticLibrary",
    )
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))]

static_library = rule(
    implementation = _static_library_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
