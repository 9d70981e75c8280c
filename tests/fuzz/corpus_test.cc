// Runs the fuzz targets over their corpora and over mutations of them that are the same
// in every run, so that every build and every sanitizer does.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace priorityd::fuzz {
namespace {

constexpr int kMutations = 4000;
constexpr size_t kMaxBytes = 1 << 18;
constexpr int kMutationsInARow = 20;

std::vector<std::string> CorpusOf(const Target& target) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator("tests/fuzz/corpus/" + target.name)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const std::filesystem::path& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// A few bytes or stretches of `text` changed, taken out, doubled, or taken from
// `other`.
std::string Mutate(std::string text, const std::string& other, std::mt19937& random) {
  static constexpr char kBytes[] = "\0\n\r\f\t |=:,'\"\\#[]()-+0189eaxG@\xFF\xC3";
  const auto below = [&random](size_t bound) { return bound == 0 ? 0 : random() % bound; };
  for (size_t count = 1 + below(4); count > 0; --count) {
    const size_t at = below(text.size() + 1);
    const size_t length = below(20);
    switch (below(4)) {
      case 0:
        text.insert(at, 1, kBytes[below(sizeof(kBytes) - 1)]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      default:
        text.insert(at, other.substr(below(other.size() + 1), 4 * length));
    }
  }
  return text;
}

class CorpusTest : public ::testing::TestWithParam<Target> {
 protected:
  const Target& target() const { return GetParam(); }
  const std::string& AnyOfCorpus() { return corpus_[random_() % corpus_.size()]; }

  void SetUp() override { ASSERT_FALSE(corpus_.empty()); }

  const std::vector<std::string> corpus_ = CorpusOf(GetParam());
  std::mt19937 random_{2026};
};

TEST_P(CorpusTest, EveryFileOfTheCorpusHolds) {
  for (const std::string& text : corpus_) target().run(text);
}

TEST_P(CorpusTest, MutationsOfTheCorpusHold) {
  for (int i = 0; i < kMutations; ++i) {
    const std::string& text = AnyOfCorpus();
    target().run(Mutate(text, AnyOfCorpus(), random_));
  }
}

TEST_P(CorpusTest, MutationsByTheTargetItselfHold) {
  if (target().mutate == nullptr) GTEST_SKIP() << "it has no mutator";
  for (int i = 0; i < kMutations / kMutationsInARow; ++i) {
    std::string text = AnyOfCorpus();
    for (int more = kMutationsInARow; more > 0; --more) {
      const std::string mutated = target().mutate(text, random_);
      if (mutated.empty() || mutated.size() > kMaxBytes) break;
      text = mutated;
      target().run(text);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, CorpusTest, ::testing::ValuesIn(Targets()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace priorityd::fuzz
