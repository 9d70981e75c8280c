#include "client/prioctl/text/picture_file.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/text/option_error.h"

extern char** environ;

namespace priorityd::prioctl {
namespace {

// Programs that make a PNG of an SVG, and their arguments; the first one installed is used.
struct Converter {
  const char* program;
  std::vector<std::string> (*arguments)(const std::string& svg, const std::string& png);
};

const Converter kConverters[] = {
    {"rsvg-convert",
     [](const std::string& svg, const std::string& png) {
       return std::vector<std::string>{"-f", "png", "-o", png, svg};
     }},
    {"inkscape",
     [](const std::string& svg, const std::string& png) {
       return std::vector<std::string>{"--export-type=png", "--export-filename=" + png, svg};
     }},
};

// Its path; empty where PATH has none.
std::string FindProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    const std::string file = absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

const Converter* FindConverter() {
  for (const Converter& converter : kConverters) {
    if (!FindProgram(converter.program).empty()) return &converter;
  }
  return nullptr;
}

absl::Status WriteText(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(file, ": cannot be written: ", std::strerror(errno)));
}

// Its exit code; -1 where it did not run.
int RunProgram(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  pid_t pid = 0;
  int status = 0;
  if (posix_spawn(&pid, program.c_str(), nullptr, nullptr, words.data(), environ) != 0) return -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

absl::Status WritePng(const std::string& png, const std::string& svg) {
  const Converter* converter = FindConverter();
  if (converter == nullptr) return CheckPicture({.png = png});
  const std::string source = png + ".svg";
  if (absl::Status written = WriteText(source, svg); !written.ok()) return written;
  const int code = RunProgram(FindProgram(converter->program), converter->arguments(source, png));
  unlink(source.c_str());
  if (code == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(png, ": ", converter->program, " ended with ", code, ", want 0"));
}

}  // namespace

absl::Status CheckPicture(const PictureOptions& options) {
  if (options.png.empty() || FindConverter() != nullptr) return absl::OkStatus();
  return OptionError(
      "--png: got no converter in PATH, want rsvg-convert (of Debian's librsvg2-bin) or inkscape; "
      "--svg needs none");
}

absl::Status WritePicture(const PictureOptions& options, const std::string& svg,
                          std::ostream& out) {
  absl::Status status;
  if (options.svg == "-") {
    out << svg;
  } else if (!options.svg.empty()) {
    status = WriteText(options.svg, svg);
  }
  if (status.ok() && !options.png.empty()) status = WritePng(options.png, svg);
  return status;
}

}  // namespace priorityd::prioctl
