#include "server/slurm/conf_files.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "server/slurm/line_reader.h"

namespace priorityd::slurm {
namespace {

constexpr size_t kNoFile = static_cast<size_t>(-1);

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// Whether the line is `Include something`; then `argument` is that.
bool IsInclude(absl::string_view text, absl::string_view& argument) {
  constexpr absl::string_view kInclude = "include";
  text = absl::StripAsciiWhitespace(text);
  if (!absl::StartsWithIgnoreCase(text, kInclude)) return false;
  argument = text.substr(kInclude.size());
  if (argument.empty() || argument[0] == '#') return true;
  if (!IsSpace(argument[0]) && argument[0] != '=') return false;
  argument = absl::StripAsciiWhitespace(argument.substr(1));
  return true;
}

// Without `.`, `..` and empty components where they can be resolved.
std::string NormalPath(absl::string_view path) {
  std::vector<absl::string_view> kept;
  for (absl::string_view component : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (component == ".") continue;
    if (component == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else {
      kept.push_back(component);
    }
  }
  return absl::StrCat(absl::StartsWith(path, "/") ? "/" : "", absl::StrJoin(kept, "/"));
}

std::string Beside(absl::string_view includer, absl::string_view name) {
  const size_t slash = includer.rfind('/');
  return slash == absl::string_view::npos
             ? NormalPath(name)
             : NormalPath(absl::StrCat(includer.substr(0, slash + 1), name));
}

// Whether one path is the other with folders before it.
bool IsTailOf(absl::string_view one, absl::string_view other) {
  return absl::EndsWith(other, absl::StrCat("/", one)) ||
         absl::EndsWith(one, absl::StrCat("/", other));
}

// Cuts a `\` at the end, which joins the next line.
bool TakeContinuation(absl::string_view& text) {
  const absl::string_view trimmed = absl::StripTrailingAsciiWhitespace(text);
  size_t backslashes = 0;
  while (backslashes < trimmed.size() && trimmed[trimmed.size() - 1 - backslashes] == '\\') {
    ++backslashes;
  }
  if (backslashes % 2 == 0) return false;
  text = trimmed.substr(0, trimmed.size() - 1);
  return true;
}

class ConfFiles {
 public:
  ConfFiles(absl::Span<const SourceFile> files, FileViolations& violations,
            absl::FunctionRef<void(const ConfLine&)> use)
      : files_(files), violations_(violations), use_(use), read_(files.size(), false) {
    for (const SourceFile& file : files) paths_.push_back(NormalPath(file.name));
  }

  void Read(size_t index) {
    read_[index] = true;
    open_.push_back(index);
    LineReader lines(files_[index], violations_);
    TextLine line;
    while (lines.Next(line)) {
      std::string text;
      std::vector<LineStart> starts = {{0, line.number}};
      while (TakeContinuation(line.text)) {
        absl::StrAppend(&text, line.text);
        line.text = {};
        if (!lines.Next(line)) break;
        starts.push_back({text.size(), line.number});
      }
      absl::StrAppend(&text, line.text);
      UseLine(text, files_[index], starts);
    }
    open_.pop_back();
  }

  void WarnOfUnread(std::vector<std::string>& warnings) const {
    for (size_t i = 0; i < files_.size(); ++i) {
      if (!read_[i]) {
        warnings.push_back(absl::StrCat(files_[i].name, ": no Include line names it; not read"));
      }
    }
  }

 private:
  void UseLine(absl::string_view text, const SourceFile& file, absl::Span<const LineStart> starts) {
    absl::string_view argument;
    if (IsInclude(text, argument)) {
      Include(argument, file, starts.front().line);
      return;
    }
    const ConfLine line = SplitConfLine(text, file, starts);
    if (line.pairs.empty()) {
      if (!line.violation.empty())
        violations_.Add(file.name, line.violation_place.line, line.violation);
      return;
    }
    if (absl::EqualsIgnoreCase(line.pairs[0].key, "ClusterName")) {
      cluster_name_ = absl::AsciiStrToLower(line.pairs[0].value);
    }
    use_(line);
  }

  void Include(absl::string_view argument, const SourceFile& file, int line) {
    const auto error = [&](absl::string_view message) {
      violations_.Add(file.name, line, absl::StrCat("Include: ", message));
    };
    const LineStart start = {0, line};
    const ConfLine split =
        SplitConfLine(absl::StrCat("Include=", argument), file, absl::MakeSpan(&start, 1));
    if (split.pairs.size() != 1 || !split.violation.empty() || split.pairs[0].value.empty()) {
      return error(absl::StrCat("got ", Quoted(argument), ", want the name of one file"));
    }
    const std::string name = absl::StrReplaceAll(split.pairs[0].value, {{"%c", cluster_name_}});
    const size_t index = Resolve(name, file.name);
    if (index == kNoFile) {
      return error(absl::StrCat("got ", Quoted(name), ", want one of the files given with ",
                                files_[0].name));
    }
    if (std::find(open_.begin(), open_.end(), index) != open_.end()) {
      return error(absl::StrCat("got ", Quoted(name), ", want no cycle: it is being read already"));
    }
    included_bytes_ += files_[index].content.size();
    if (++includes_ > kMaxIncludes || included_bytes_ > kMaxIncludedBytes) {
      return error(absl::StrCat("got ", includes_, " includes of ", included_bytes_,
                                " bytes, want at most ", kMaxIncludes, " of ", kMaxIncludedBytes));
    }
    Read(index);
  }

  size_t Resolve(absl::string_view name, absl::string_view includer) const {
    for (const std::string& path : {NormalPath(name), Beside(includer, name)}) {
      const auto found = std::find(paths_.begin(), paths_.end(), path);
      if (found != paths_.end()) return found - paths_.begin();
    }
    size_t tail = kNoFile;
    for (size_t i = 0; i < paths_.size(); ++i) {
      if (!IsTailOf(NormalPath(name), paths_[i])) continue;
      if (tail != kNoFile) return kNoFile;
      tail = i;
    }
    return tail;
  }

  absl::Span<const SourceFile> files_;
  FileViolations& violations_;
  absl::FunctionRef<void(const ConfLine&)> use_;
  std::vector<std::string> paths_;
  std::vector<bool> read_;
  std::vector<size_t> open_;  // The files being read, the innermost last.
  std::string cluster_name_;
  int64_t includes_ = 0;
  int64_t included_bytes_ = 0;
};

}  // namespace

void ReadConfLines(absl::Span<const SourceFile> files, FileViolations& violations,
                   std::vector<std::string>& warnings,
                   absl::FunctionRef<void(const ConfLine&)> use) {
  ConfFiles conf(files, violations, use);
  conf.Read(0);
  conf.WarnOfUnread(warnings);
}

}  // namespace priorityd::slurm
