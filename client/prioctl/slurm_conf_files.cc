#include "client/prioctl/slurm_conf_files.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/prioctl/input_file.h"

namespace priorityd::prioctl {
namespace {

constexpr absl::string_view kInclude = "include";
constexpr absl::string_view kClusterName = "clustername=";

absl::string_view Unquoted(absl::string_view text) {
  absl::ConsumePrefix(&text, "\"");
  absl::ConsumeSuffix(&text, "\"");
  return text;
}

// The value of the first ClusterName line, as Slurm holds it; empty = none.
std::string FindClusterName(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (!absl::StartsWithIgnoreCase(line, kClusterName)) continue;
    line.remove_prefix(kClusterName.size());
    return absl::AsciiStrToLower(Unquoted(line.substr(0, line.find_first_of(" \t"))));
  }
  return "";
}

priority::v1::File MakeFile(const std::string& name, std::string content) {
  priority::v1::File file;
  file.set_name(name);
  file.set_content(std::move(content));
  file.set_kind(priority::v1::FILE_KIND_SLURM_CONF);
  return file;
}

// Puts files in the place of the lines that include them.
class Joiner {
 public:
  explicit Joiner(const std::vector<priority::v1::File>& files)
      : cluster_(FindClusterName(files[0].content())) {
    for (const priority::v1::File& file : files) by_name_[file.name()] = &file;
  }

  absl::Status Add(const priority::v1::File& file, std::string* text) {
    open_.insert(file.name());
    std::map<int, std::string> includes;  // By line.
    for (const IncludeLine& include : FindIncludes(file.content())) {
      includes[include.line] = absl::StrReplaceAll(include.file, {{"%c", cluster_}});
    }
    int number = 0;
    for (const absl::string_view line :
         absl::StrSplit(absl::StripSuffix(file.content(), "\n"), '\n')) {
      const auto include = includes.find(++number);
      if (include == includes.end()) {
        absl::StrAppend(text, line, "\n");
      } else if (open_.contains(include->second)) {
        return absl::InvalidArgumentError(
            absl::StrCat(file.name(), " line ", number, ": Include: got ", include->second,
                         ", which is being read, want no file that includes itself"));
      } else if (absl::Status s = Add(*by_name_.at(include->second), text); !s.ok()) {
        return s;
      }
    }
    open_.erase(file.name());
    return absl::OkStatus();
  }

 private:
  const std::string cluster_;
  std::map<std::string, const priority::v1::File*> by_name_;
  std::set<std::string> open_;
};

}  // namespace

std::vector<IncludeLine> FindIncludes(absl::string_view text) {
  std::vector<IncludeLine> includes;
  int number = 0;
  bool continued = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const bool starts_here = !continued;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    continued = absl::EndsWith(line, "\\");
    if (!starts_here || !absl::StartsWithIgnoreCase(line, kInclude)) continue;
    line.remove_prefix(kInclude.size());
    if (line.empty() || !(absl::ascii_isspace(line.front()) || line.front() == '=')) continue;
    const absl::string_view name = Unquoted(absl::StripAsciiWhitespace(line.substr(1)));
    if (!name.empty()) includes.push_back({std::string(name), number});
  }
  return includes;
}

absl::StatusOr<std::vector<priority::v1::File>> ReadSlurmConf(const std::string& path) {
  absl::StatusOr<std::string> main = ReadFile(path);
  if (!main.ok()) return main.status();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<priority::v1::File> files = {MakeFile(path, *std::move(main))};
  const std::string cluster = FindClusterName(files[0].content());
  std::set<std::string> seen;
  for (size_t i = 0; i < files.size(); ++i) {
    for (IncludeLine& include : FindIncludes(files[i].content())) {
      include.file = absl::StrReplaceAll(include.file, {{"%c", cluster}});
      if (!seen.insert(include.file).second) continue;
      const std::string place =
          absl::StrCat(files[i].name(), " line ", include.line, ": Include: ");
      if (include.file.find_first_of("*?[") != std::string::npos) {
        return absl::InvalidArgumentError(
            absl::StrCat(place, "got ", include.file, ", want the name of one file"));
      }
      absl::StatusOr<std::string> content = ReadFile((folder / include.file).string());
      if (!content.ok()) {
        return absl::Status(content.status().code(),
                            absl::StrCat(place, content.status().message()));
      }
      files.push_back(MakeFile(include.file, *std::move(content)));
    }
  }
  return files;
}

absl::StatusOr<PolicyText> ReadPolicyText(const std::string& path) {
  absl::StatusOr<std::vector<priority::v1::File>> files = ReadSlurmConf(path);
  if (!files.ok()) return files.status();
  const priority::v1::File& main = files->front();
  if (files->size() == 1) return PolicyText{path, main.content()};
  PolicyText joined{absl::StrCat(path, " with its Includes"), ""};
  if (absl::Status s = Joiner(*files).Add(main, &joined.text); !s.ok()) return s;
  return joined;
}

}  // namespace priorityd::prioctl
