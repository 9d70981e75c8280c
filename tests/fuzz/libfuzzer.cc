// What libFuzzer calls: the one target that is linked in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "tests/fuzz/target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace priorityd::fuzz {
namespace {

std::string Text(const uint8_t* data, size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

// By the target itself; empty where it does not.
std::string MutateByTarget(const std::string& text, std::mt19937& random) {
  const Target& target = Targets().front();
  if (target.mutate == nullptr || random() % 8 == 0) return "";
  return target.mutate(text, random);
}

}  // namespace
}  // namespace priorityd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  priorityd::fuzz::Targets().front().run(priorityd::fuzz::Text(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  std::mt19937 random(seed);
  const std::string mutated =
      priorityd::fuzz::MutateByTarget(priorityd::fuzz::Text(data, size), random);
  if (mutated.empty() || mutated.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(mutated.begin(), mutated.end(), data);
  return mutated.size();
}
