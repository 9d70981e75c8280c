// Every request: what is said of it without knowing a cluster, its conversion, and what it does to
// a small site. The first line of a text names the message, the rest is its content.
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "tests/fuzz/message_mutator.h"
#include "tests/fuzz/requests.h"
#include "tests/fuzz/target.h"

namespace priorityd::fuzz {
namespace {

// A name that is none is taken for one, always the same: nothing passes unseen.
std::string KnownName(const std::string& name) {
  const auto& requests = Requests();
  if (requests.count(name) > 0) return name;
  size_t number = 0;
  for (const char letter : name) number = 31 * number + static_cast<unsigned char>(letter);
  return std::next(requests.begin(), static_cast<int>(number % requests.size()))->first;
}

struct Named {
  std::string name;
  std::unique_ptr<google::protobuf::Message> message;
};

Named Parse(const std::string& text) {
  const size_t line = std::min(text.find('\n'), text.size());
  Named named{KnownName(text.substr(0, line)), nullptr};
  named.message.reset(NewRequest(named.name));
  ParseRequest(text.substr(std::min(line + 1, text.size())), named.message.get());
  return named;
}

std::string Mutate(const std::string& text, std::mt19937& random) {
  const Named named = Parse(text);
  for (size_t changes = 1 + random() % 5; changes > 0; --changes) {
    MutateMessage(named.message.get(), random);
  }
  std::string mutated;
  google::protobuf::TextFormat::PrintToString(*named.message, &mutated);
  return named.name + "\n" + mutated;
}

void RunOne(const std::string& text) {
  const Named named = Parse(text);
  Requests().at(named.name)(*named.message);
}

[[maybe_unused]] const bool registered = Register({"request", RunOne, Mutate});

}  // namespace
}  // namespace priorityd::fuzz
