// What the tests of the readers share.
#ifndef PRIORITYD_TESTS_SERVER_SLURM_PARSING_H_
#define PRIORITYD_TESTS_SERVER_SLURM_PARSING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/slurm/file_violations.h"

namespace priorityd::slurm {

// A file of tests/testdata/site, under its own name.
inline SourceFile SiteFile(const std::string& name) {
  std::ifstream stream("tests/testdata/site/" + name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {name, std::string(std::istreambuf_iterator<char>(stream), {})};
}

// The violations a status carries, as `file line N: message`.
inline std::vector<std::string> ErrorTexts(const absl::Status& status) {
  std::vector<std::string> texts;
  for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
    texts.push_back(absl::StrCat(violation.field, ": ", violation.description));
  }
  return texts;
}

}  // namespace priorityd::slurm

#endif  // PRIORITYD_TESTS_SERVER_SLURM_PARSING_H_
