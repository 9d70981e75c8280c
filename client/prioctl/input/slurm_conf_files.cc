#include "client/prioctl/input/slurm_conf_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/input/input_file.h"
#include "engine/slurm/conf/conf_files.h"

namespace priorityd::prioctl {
namespace {

namespace fs = std::filesystem;

// `Word=`, or an Include.
bool IsSettingOrInclude(absl::string_view line) {
  const absl::string_view word = absl::StripTrailingAsciiWhitespace(line.substr(0, line.find('=')));
  if (word.size() < line.size() && !word.empty() &&
      std::all_of(word.begin(), word.end(), [](char c) { return absl::ascii_isalnum(c); })) {
    return true;
  }
  return absl::StartsWithIgnoreCase(line, "include ");
}

// The number of the first line that slurm.conf would not have; 0 = none.
int StrangeLine(absl::string_view content) {
  int number = 0;
  bool continues = false;
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    const bool says_nothing = line.empty() || line.front() == '#';
    if (!continues && !says_nothing && !IsSettingOrInclude(line)) return number;
    continues = absl::EndsWith(line, "\\");
  }
  return 0;
}

// The folders in which included files may be.
class Folders {
 public:
  // The folder of `main`, that of the file if `main` is a link to one, and `more` if it is not
  // empty.
  Folders(const std::string& main, const std::string& more) {
    std::error_code error;
    const fs::path absolute = fs::absolute(main, error);
    are_known_ = !error;
    if (are_known_) Add(absolute.parent_path());
    const fs::path real = fs::canonical(main, error);
    if (!error) Add(real.parent_path());
    if (!more.empty()) Add(more);
  }

  bool Have(const fs::path& file) const {
    return std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
      const fs::path relative = file.lexically_relative(folder);
      return !relative.empty() && *relative.begin() != "..";
    });
  }
  // False in a current folder that was deleted.
  bool are_known() const { return are_known_; }
  std::string first() const { return folders_.empty() ? "" : folders_.front().string(); }

 private:
  void Add(const fs::path& folder) {
    std::error_code error;
    fs::path real = fs::canonical(folder, error);
    if (!error) folders_.push_back(std::move(real));
  }

  bool are_known_ = false;
  std::vector<fs::path> folders_;
};

// The file may be a stranger's, and so may be what it names: what is somewhere else is not opened,
// and nothing is shown of what is no slurm.conf.
absl::StatusOr<std::string> ReadIncluded(const Folders& folders, const fs::path& path,
                                         const std::string& name) {
  if (!folders.are_known()) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", name, ", want a current folder that exists"));
  }
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return ReadSlurmFile(path.string());
  if (!folders.Have(real) || !fs::is_regular_file(real, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", name, ", want a file in ", folders.first(),
                     " or below, or in the folder of --include-from"));
  }
  absl::StatusOr<std::string> content = ReadSlurmFile(real.string());
  if (!content.ok()) return content;
  const int strange = StrangeLine(*content);
  if (strange == 0) return content;
  return absl::InvalidArgumentError(absl::StrCat("got ", name, ", whose line ", strange,
                                                 " does not begin with a key and =, want lines of "
                                                 "slurm.conf"));
}

absl::StatusOr<std::vector<slurm::SourceFile>> GatherFiles(const std::string& path,
                                                           const std::string& include_from) {
  absl::StatusOr<std::string> main = ReadSlurmFile(path);
  if (!main.ok()) return main.status();
  const fs::path folder = fs::path(path).parent_path();
  const Folders folders(path, include_from);
  return slurm::GatherConfFiles({path, *std::move(main)},
                                [&](const std::string& name) -> absl::StatusOr<std::string> {
                                  if (name.find_first_of("*?[") == std::string::npos) {
                                    return ReadIncluded(folders, folder / name, name);
                                  }
                                  return absl::InvalidArgumentError(
                                      absl::StrCat("got ", name, ", want the name of one file"));
                                });
}

}  // namespace

absl::StatusOr<std::vector<::priority::v1::File>> ReadSlurmConf(const std::string& path,
                                                                const std::string& include_from) {
  absl::StatusOr<std::vector<slurm::SourceFile>> gathered = GatherFiles(path, include_from);
  if (!gathered.ok()) return gathered.status();
  std::vector<::priority::v1::File> files;
  for (slurm::SourceFile& source : *gathered) {
    ::priority::v1::File& file = files.emplace_back();
    file.set_name(std::move(source.name));
    file.set_content(std::move(source.content));
    file.set_kind(::priority::v1::FILE_KIND_SLURM_CONF);
  }
  return files;
}

absl::StatusOr<PolicyText> ReadPolicyText(const std::string& path,
                                          const std::string& include_from) {
  absl::StatusOr<std::vector<slurm::SourceFile>> files = GatherFiles(path, include_from);
  if (!files.ok()) return files.status();
  const bool is_one = files->size() == 1;
  absl::StatusOr<std::string> text =
      is_one ? std::move(files->front().content) : slurm::JoinConfFiles(*files);
  if (!text.ok()) return text.status();
  PolicyText policy{absl::StrCat(path, is_one ? "" : " with its Includes"), *std::move(text)};
  if (absl::Status s = CheckHasLines(policy.name, policy.text); !s.ok()) return s;
  return policy;
}

absl::Status CheckHasLines(absl::string_view name, absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view content = absl::StripAsciiWhitespace(line);
    if (!content.empty() && content.front() != '#') return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": got no lines, want lines that are not comments"));
}

}  // namespace priorityd::prioctl
