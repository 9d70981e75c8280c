// The sentences of explanations as they must read: one file for each concept.
#ifndef PRIORITYD_TESTS_ENGINE_EXPLANATION_GOLDEN_H_
#define PRIORITYD_TESTS_ENGINE_EXPLANATION_GOLDEN_H_

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace priorityd::explanation {

// The sentence called `name` in sentences/FILE.txt, which has lines of the form `name: sentence`.
// Fails the test if there is none.
inline std::string Golden(absl::string_view file, absl::string_view name) {
  const std::string path = absl::StrCat("tests/engine/explanation/sentences/", file, ".txt");
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    absl::string_view sentence = line;
    if (absl::ConsumePrefix(&sentence, absl::StrCat(name, ": "))) return std::string(sentence);
  }
  ADD_FAILURE() << path << ": no sentence `" << name << "`";
  return "";
}

}  // namespace priorityd::explanation

#endif  // PRIORITYD_TESTS_ENGINE_EXPLANATION_GOLDEN_H_
