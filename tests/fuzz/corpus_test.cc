// Runs one fuzz target over its corpus and over mutations of it that are the same in
// every run, so that every build and every sanitizer does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/check.h"

// Where a target has a mutator of its own.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                                                size_t max_size, unsigned int seed);

namespace priorityd {
namespace {

constexpr int kMutations = 4000;
constexpr size_t kMaxBytes = 1 << 18;
constexpr int kMutationsInARow = 20;

std::vector<std::string> Corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(FUZZ_CORPUS)) {
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

void RunTarget(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
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

// By the target's own mutator; what was, where it has none.
std::string MutateByTarget(std::string text, std::mt19937& random) {
  if (LLVMFuzzerCustomMutator == nullptr) return text;
  const size_t size = text.size();
  text.resize(std::max(kMaxBytes, size));
  text.resize(LLVMFuzzerCustomMutator(reinterpret_cast<uint8_t*>(text.data()), size, text.size(),
                                      static_cast<unsigned int>(random())));
  return text;
}

TEST(CorpusTest, EveryFileOfTheCorpusHolds) {
  const std::vector<std::string> corpus = Corpus();
  ASSERT_FALSE(corpus.empty());
  for (const std::string& text : corpus) RunTarget(text);
}

TEST(CorpusTest, MutationsOfTheCorpusHold) {
  const std::vector<std::string> corpus = Corpus();
  ASSERT_FALSE(corpus.empty());
  std::mt19937 random(2026);
  for (int i = 0; i < kMutations; ++i) {
    const std::string& text = corpus[random() % corpus.size()];
    RunTarget(Mutate(text, corpus[random() % corpus.size()], random));
  }
}

TEST(CorpusTest, MutationsByTheTargetItselfHold) {
  std::mt19937 random(2026);
  if (LLVMFuzzerCustomMutator == nullptr) GTEST_SKIP() << "it has no mutator";
  for (int i = 0; i < kMutations / kMutationsInARow; ++i) {
    std::string text = Corpus()[random() % Corpus().size()];
    for (int more = kMutationsInARow; more > 0; --more) {
      text = MutateByTarget(text, random);
      RunTarget(text);
    }
  }
}

}  // namespace
}  // namespace priorityd
