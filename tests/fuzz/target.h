// Fuzz targets, by name: each source file `NAME_fuzz.cc` registers one.
#ifndef PRIORITYD_TESTS_FUZZ_TARGET_H_
#define PRIORITYD_TESTS_FUZZ_TARGET_H_

#include <random>
#include <string>
#include <vector>

namespace priorityd::fuzz {

struct Target {
  // Of its file, and of the folder of its corpus.
  std::string name;
  // Ends the process where a property does not hold. Takes any bytes.
  void (*run)(const std::string& text);
  // Something like `text`; empty where the text is nothing that it can change. Null = any bytes.
  std::string (*mutate)(const std::string& text, std::mt19937& random) = nullptr;
};

// Those that are linked in.
inline std::vector<Target>& Targets() {
  static auto* const targets = new std::vector<Target>();
  return *targets;
}

// For a static variable of the target's file.
inline bool Register(const Target& target) {
  Targets().push_back(target);
  return true;
}

}  // namespace priorityd::fuzz

#endif  // PRIORITYD_TESTS_FUZZ_TARGET_H_
