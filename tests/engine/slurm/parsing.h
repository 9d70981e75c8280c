// What the tests of the readers share.
#ifndef PRIORITYD_TESTS_ENGINE_SLURM_PARSING_H_
#define PRIORITYD_TESTS_ENGINE_SLURM_PARSING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// A file of tests/testdata, under its own name.
inline SourceFile TestFile(const std::string& folder, const std::string& name) {
  std::ifstream stream("tests/testdata/" + folder + "/" + name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {name, std::string(std::istreambuf_iterator<char>(stream), {})};
}

inline SourceFile SiteFile(const std::string& name) { return TestFile("site", name); }

// The violations a status carries, as `file line N: message`.
inline std::vector<std::string> ErrorTexts(const absl::Status& status) {
  std::vector<std::string> texts;
  for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
    texts.push_back(absl::StrCat(violation.field, ": ", violation.description));
  }
  return texts;
}

inline absl::StatusOr<SlurmConf> ParseText(const std::string& text) {
  const SourceFile file{"slurm.conf", text};
  return ParseSlurmConf({file});
}

// The policy of a slurm.conf's text.
inline priority::Policy PolicyOf(const std::string& text) {
  absl::StatusOr<SlurmConf> conf = ParseText(text);
  EXPECT_TRUE(conf.ok()) << conf.status() << "\n" << text;
  return conf.ok() ? conf->policy : priority::Policy();
}

// The one error of a slurm.conf's text.
inline std::string ErrorOf(const std::string& text) {
  const std::vector<std::string> errors = ErrorTexts(ParseText(text).status());
  EXPECT_EQ(errors.size(), 1u) << text;
  return errors.empty() ? "" : errors[0];
}

}  // namespace priorityd::slurm

#endif  // PRIORITYD_TESTS_ENGINE_SLURM_PARSING_H_
