#include "client/prioctl/slurm_conf_files.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/prioctl/input_file.h"
#include "server/slurm/conf_files.h"

namespace priorityd::prioctl {
namespace {

absl::StatusOr<std::vector<slurm::SourceFile>> GatherFiles(const std::string& path) {
  absl::StatusOr<std::string> main = ReadFile(path);
  if (!main.ok()) return main.status();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return slurm::GatherConfFiles({path, *std::move(main)},
                                [&](const std::string& name) -> absl::StatusOr<std::string> {
                                  if (name.find_first_of("*?[") == std::string::npos)
                                    return ReadFile((folder / name).string());
                                  return absl::InvalidArgumentError(
                                      absl::StrCat("got ", name, ", want the name of one file"));
                                });
}

}  // namespace

absl::StatusOr<std::vector<::priority::v1::File>> ReadSlurmConf(const std::string& path) {
  absl::StatusOr<std::vector<slurm::SourceFile>> gathered = GatherFiles(path);
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

absl::StatusOr<PolicyText> ReadPolicyText(const std::string& path) {
  absl::StatusOr<std::vector<slurm::SourceFile>> files = GatherFiles(path);
  if (!files.ok()) return files.status();
  if (files->size() == 1) return PolicyText{path, std::move(files->front().content)};
  absl::StatusOr<std::string> text = slurm::JoinConfFiles(*files);
  if (!text.ok()) return text.status();
  return PolicyText{absl::StrCat(path, " with its Includes"), *std::move(text)};
}

}  // namespace priorityd::prioctl
