#include "tests/client/slurm/played_slurm.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/slurm/transcript.h"

namespace priorityd {

PlayedSlurm::PlayedSlurm(const std::string& name) {
  const std::string text = ReadCaptured(name);
  std::string* out = nullptr;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "@ ")) {
      passes_.push_back(passes_.empty() ? std::map<std::string, std::string>() : passes_.back());
    } else if (absl::StartsWith(line, "$ ")) {
      out = &passes_.back()[std::string(line.substr(2))];
      out->clear();
    } else if (absl::StartsWith(line, "= ")) {
      out = nullptr;
    } else if (out != nullptr) {
      absl::StrAppend(out, line, "\n");
    }
  }
}

const std::string& PlayedSlurm::Printed(const std::string& command) const {
  static const std::string& none = *new std::string;
  const auto& pass = passes_.at(static_cast<size_t>(pass_ - 1));
  const auto found = pass.find(command);
  if (found != pass.end()) return found->second;
  ADD_FAILURE() << "not captured: " << command;
  return none;
}

slurm_frontend::RunCommand PlayedSlurm::Runner() {
  return [this](const slurm_frontend::Arguments& arguments, const std::string&) {
    ran_.push_back(slurm_frontend::CommandText(arguments));
    return absl::StatusOr<std::string>(Printed(ran_.back()));
  };
}

}  // namespace priorityd
