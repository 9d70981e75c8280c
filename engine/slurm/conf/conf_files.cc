#include "engine/slurm/conf/conf_files.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/slurm/words/line_reader.h"

namespace priorityd::slurm {
namespace {

// Whether the line is an Include line; sets `argument` to its argument.
bool IsInclude(absl::string_view text, absl::string_view& argument) {
  constexpr absl::string_view kInclude = "include";
  text = absl::StripAsciiWhitespace(text);
  if (!absl::StartsWithIgnoreCase(text, kInclude)) return false;
  argument = text.substr(kInclude.size());
  if (argument.empty() || argument[0] == '#') return true;
  if (!absl::ascii_isspace(static_cast<unsigned char>(argument[0])) && argument[0] != '=')
    return false;
  argument = absl::StripAsciiWhitespace(argument.substr(1));
  return true;
}

// Removes `.`, `..` and empty components where they can be resolved.
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

// Whether one path is a suffix of the other, by whole components.
bool IsTailOf(absl::string_view one, absl::string_view other) {
  return absl::EndsWith(other, absl::StrCat("/", one)) ||
         absl::EndsWith(one, absl::StrCat("/", other));
}

// The text before the comment of a line of the file, if it has one. As in SplitConfLine a `#` in
// double quotes, or after a `\`, begins none. A `\` in a comment joins no line.
// `is_quoted`: whether double quotes are open where it begins, then where it ends.
absl::string_view WithoutComment(absl::string_view text, bool& is_quoted) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && !is_quoted) return text.substr(0, i);
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\\') ++i;
  }
  return text;
}

// Removes a `\` at the end, which joins the next line.
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

// `3600 sec` without its unit, which only scontrol writes.
absl::string_view WithoutUnit(absl::string_view value) {
  const size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
  const absl::string_view rest = value.substr(digits);
  const bool has_unit = digits > 0 && absl::StartsWith(rest, " ") && rest.rfind(' ') == 0;
  return has_unit ? value.substr(0, digits) : value;
}

// The file named on an Include line of `includer`.
using FindFile = absl::FunctionRef<absl::StatusOr<const SourceFile*>(const std::string& name,
                                                                     const SourceFile& includer)>;
// Receives a logical line: the original text and the pairs.
using UseText = absl::FunctionRef<void(absl::string_view text, const ConfLine& line)>;

// Walks through a file and those it includes in reading order.
class ConfWalk {
 public:
  ConfWalk(FindFile find, FileViolations& violations, UseText use)
      : find_(find), violations_(violations), use_(use) {}

  void Read(const SourceFile& file) {
    if (IsPrintedConf(file.content)) return ReadPrinted(file);
    open_.push_back(&file);
    LineReader lines(file, violations_);
    TextLine line;
    while (lines.Next(line)) {
      absl::string_view last = line.text;
      const char* begin = last.data();
      std::string text;
      std::vector<LineStart> starts = {{0, line.number}};
      bool is_quoted = false;
      line.text = WithoutComment(line.text, is_quoted);
      while (TakeContinuation(line.text)) {
        absl::StrAppend(&text, line.text);
        line.text = {};
        if (!lines.Next(line)) break;
        last = line.text;
        line.text = WithoutComment(line.text, is_quoted);
        starts.push_back({text.size(), line.number});
      }
      absl::StrAppend(&text, line.text);
      UseLine(absl::string_view(begin, last.end() - begin), text, file, starts);
    }
    open_.pop_back();
  }

  // The error for the first file that was not found.
  const absl::Status& not_found() const { return not_found_; }

 private:
  // The sections after the parameters, separated by blank lines, come from other files.
  void ReadPrinted(const SourceFile& file) {
    LineReader lines(file, violations_);
    TextLine line;
    bool any = false;
    while (lines.Next(line)) {
      const absl::string_view text = absl::StripAsciiWhitespace(line.text);
      if (text.empty() && any) return;
      const std::pair<absl::string_view, absl::string_view> sides =
          absl::StrSplit(text, absl::MaxSplits('=', 1));
      if (sides.first.size() == text.size()) continue;
      ConfLine pair;
      pair.place = {&file, line.number};
      pair.pairs.push_back({std::string(absl::StripAsciiWhitespace(sides.first)),
                            std::string(WithoutUnit(absl::StripAsciiWhitespace(sides.second))),
                            pair.place});
      any = true;
      use_(line.text, pair);
    }
  }

  void UseLine(absl::string_view whole, absl::string_view text, const SourceFile& file,
               absl::Span<const LineStart> starts) {
    absl::string_view argument;
    if (IsInclude(text, argument)) {
      Include(argument, file, starts.front().line);
      return;
    }
    const ConfLine line = SplitConfLine(text, file, starts);
    if (!line.pairs.empty() && absl::EqualsIgnoreCase(line.pairs[0].key, "ClusterName")) {
      cluster_name_ = absl::AsciiStrToLower(line.pairs[0].value);
    }
    use_(whole, line);
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
    const absl::StatusOr<const SourceFile*> found = find_(name, file);
    if (!found.ok()) {
      not_found_.Update(absl::Status(
          found.status().code(),
          absl::StrCat(ConfPlace{&file, line}.Where(), ": Include: ", found.status().message())));
      return error(found.status().message());
    }
    const SourceFile& included = **found;
    if (std::find(open_.begin(), open_.end(), &included) != open_.end()) {
      return error(absl::StrCat("got ", Quoted(name), ", want no cycle: it is being read already"));
    }
    included_bytes_ += included.content.size();
    if (++includes_ > kMaxIncludes || included_bytes_ > kMaxIncludedBytes) {
      return error(absl::StrCat("got ", includes_, " includes of ", included_bytes_,
                                " bytes, want at most ", kMaxIncludes, " of ", kMaxIncludedBytes));
    }
    Read(included);
  }

  FindFile find_;
  FileViolations& violations_;
  UseText use_;
  std::vector<const SourceFile*> open_;  // The files being read, the innermost last.
  std::string cluster_name_;
  int64_t includes_ = 0;
  int64_t included_bytes_ = 0;
  absl::Status not_found_;
};

// Files that are all present from the beginning; the first one is the main file.
class GivenFiles {
 public:
  explicit GivenFiles(absl::Span<const SourceFile> files)
      : files_(files), found_(files.size(), false) {
    for (const SourceFile& file : files) paths_.push_back(NormalPath(file.name));
  }

  absl::StatusOr<const SourceFile*> Find(const std::string& name, const SourceFile& includer) {
    const std::optional<size_t> index = Resolve(name, includer.name);
    if (!index.has_value()) {
      return Unexpected(name, absl::StrCat("one of the files given with ", files_[0].name));
    }
    found_[*index] = true;
    return &files_[*index];
  }

  void WarnOfUnread(std::vector<std::string>& warnings) const {
    for (size_t i = 1; i < files_.size(); ++i) {
      if (!found_[i]) {
        warnings.push_back(absl::StrCat(files_[i].name, ": no Include line names it; not read"));
      }
    }
  }

 private:
  std::optional<size_t> Resolve(absl::string_view name, absl::string_view includer) const {
    for (const std::string& path : {NormalPath(name), Beside(includer, name)}) {
      const auto found = std::find(paths_.begin(), paths_.end(), path);
      if (found != paths_.end()) return found - paths_.begin();
    }
    std::optional<size_t> tail;
    for (size_t i = 0; i < paths_.size(); ++i) {
      if (!IsTailOf(NormalPath(name), paths_[i])) continue;
      if (tail.has_value()) return std::nullopt;
      tail = i;
    }
    return tail;
  }

  const absl::Span<const SourceFile> files_;
  std::vector<std::string> paths_;
  std::vector<bool> found_;
};

// Files that are read when a line first names them.
class GatheredFiles {
 public:
  GatheredFiles(SourceFile main, ReadIncluded read) : read_(read) { Add(std::move(main)); }

  const SourceFile& main() const { return files_.front(); }

  absl::StatusOr<const SourceFile*> Find(const std::string& name) {
    const auto known = by_path_.find(NormalPath(name));
    if (known != by_path_.end()) return known->second;
    absl::StatusOr<std::string> content = read_(name);
    if (!content.ok()) return content.status();
    return Add({name, *std::move(content)});
  }

  std::vector<SourceFile> Take() && {
    return {std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end())};
  }

 private:
  const SourceFile* Add(SourceFile file) {
    files_.push_back(std::move(file));
    return by_path_[NormalPath(files_.back().name)] = &files_.back();
  }

  ReadIncluded read_;
  std::deque<SourceFile> files_;  // Keeps addresses.
  absl::flat_hash_map<std::string, const SourceFile*> by_path_;
};

}  // namespace

bool IsPrintedConf(absl::string_view content) {
  absl::ConsumePrefix(&content, "\xEF\xBB\xBF");
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(content), "Configuration data as of ");
}

void ReadConfLines(absl::Span<const SourceFile> files, FileViolations& violations,
                   std::vector<std::string>& warnings,
                   absl::FunctionRef<void(const ConfLine&)> use) {
  GivenFiles given(files);
  const auto find = [&](const std::string& name, const SourceFile& includer) {
    return given.Find(name, includer);
  };
  const auto use_line = [&](absl::string_view, const ConfLine& line) {
    if (!line.pairs.empty()) {
      use(line);
    } else if (!line.violation.empty()) {
      violations.Add(line.violation_place.file->name, line.violation_place.line, line.violation);
    }
  };
  ConfWalk(find, violations, use_line).Read(files[0]);
  given.WarnOfUnread(warnings);
}

absl::StatusOr<std::vector<SourceFile>> GatherConfFiles(SourceFile main, ReadIncluded read) {
  GatheredFiles gathered(std::move(main), read);
  const auto find = [&](const std::string& name, const SourceFile&) { return gathered.Find(name); };
  const auto use = [](absl::string_view, const ConfLine&) {};
  FileViolations violations;
  ConfWalk walk(find, violations, use);
  walk.Read(gathered.main());
  if (!walk.not_found().ok()) return walk.not_found();
  return std::move(gathered).Take();
}

absl::StatusOr<std::string> JoinConfFiles(absl::Span<const SourceFile> files) {
  GivenFiles given(files);
  const auto find = [&](const std::string& name, const SourceFile& includer) {
    return given.Find(name, includer);
  };
  std::string joined;
  const auto use = [&](absl::string_view text, const ConfLine&) {
    absl::StrAppend(&joined, text, "\n");
  };
  FileViolations violations;
  ConfWalk(find, violations, use).Read(files[0]);
  if (!violations.empty()) return violations.ToStatus();
  return joined;
}

}  // namespace priorityd::slurm
