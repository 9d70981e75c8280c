#include "client/slurm/tables/gres.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::tables {
namespace {

constexpr absl::string_view kWant = "NAME:COUNT or NAME:TYPE:COUNT";
constexpr absl::string_view kPerNode = "PER_NODE:";
constexpr absl::string_view kPerJob = "PER_JOB:";
constexpr size_t kMostDigits = 15;
constexpr int kHighestPower = 3;  // G

struct Resource {
  std::string name;
  std::string type;
  double count = 1;
};

// Some versions print the letters of a name as a number, the first letter in the lowest byte.
std::string NameOf(absl::string_view text) {
  static const auto* const names = new absl::flat_hash_map<absl::string_view, absl::string_view>{
      {"7696487", "gpu"}, {"7565421", "mps"}, {"6515054", "nic"}};
  const auto found = names->find(text);
  return std::string(found == names->end() ? text : found->second);
}

// Removes the location of a resource: `(S:0)`, `(IDX:0,2)`.
std::string WithoutPlaces(absl::string_view text) {
  std::string result;
  for (const char letter : text) {
    const size_t open = letter == ')' ? result.rfind('(') : std::string::npos;
    if (open == std::string::npos) {
      result += letter;
    } else {
      result.resize(open);
    }
  }
  return result;
}

std::vector<std::string> ItemsOf(absl::string_view text) {
  std::vector<std::string> items;
  const std::string plain = WithoutPlaces(text);
  for (const absl::string_view item : absl::StrSplit(plain, ',')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(item);
    if (!stripped.empty()) items.emplace_back(stripped);
  }
  return items;
}

// A whole number, with K, M or G for powers of 1024.
absl::StatusOr<double> CountOf(absl::string_view text, absl::string_view item) {
  const int power = text.empty() ? 0 : slurm::SuffixPower(text.back());
  if (power > 0 && power <= kHighestPower) text.remove_suffix(1);
  int64_t count = 0;
  const bool is_whole = text.size() <= kMostDigits && absl::c_all_of(text, absl::ascii_isdigit) &&
                        absl::SimpleAtoi(text, &count);
  if (!is_whole) return slurm::Unexpected(item, kWant);
  return std::ldexp(static_cast<double>(count), 10 * power);
}

absl::StatusOr<Resource> ResourceOf(absl::string_view item) {
  absl::string_view text = item;
  absl::ConsumePrefix(&text, "gres:");
  absl::ConsumePrefix(&text, "gres/");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts[0].empty() || absl::StartsWith(parts[0], "PER_") || parts.size() > 3) {
    return slurm::Unexpected(item, kWant);
  }
  Resource resource{.name = NameOf(parts[0])};
  if (parts.size() == 1) return resource;
  const bool has_count =
      parts.size() == 3 || (!parts[1].empty() && absl::ascii_isdigit(parts[1].front()));
  if (parts.size() == 3 || !has_count) resource.type = std::string(parts[1]);
  if (!has_count) return resource;
  const auto count = CountOf(parts.back(), item);
  if (!count.ok()) return count.status();
  resource.count = *count;
  return resource;
}

void Add(const Resource& resource, double times, GresCounts* counts) {
  const double count = resource.count * times;
  if (count == 0) return;
  const std::string tres = absl::StrCat("gres/", resource.name);
  (*counts)[tres] += count;
  if (!resource.type.empty()) (*counts)[absl::StrCat(tres, ":", resource.type)] += count;
}

}  // namespace

absl::StatusOr<GresCounts> ReadAllocatedGres(absl::string_view text) {
  GresCounts counts;
  for (const std::string& item : ItemsOf(text)) {
    const auto resource = ResourceOf(item);
    if (!resource.ok()) return resource.status();
    Add(*resource, 1, &counts);
  }
  return counts;
}

absl::StatusOr<std::optional<GresCounts>> ReadRequestedGres(absl::string_view text,
                                                            std::optional<double> nodes) {
  GresCounts counts;
  for (const std::string& item : ItemsOf(text)) {
    absl::string_view plain = item;
    const bool is_of_job = absl::ConsumePrefix(&plain, kPerJob);
    absl::ConsumePrefix(&plain, kPerNode);
    if (!is_of_job && !nodes.has_value()) return std::optional<GresCounts>();
    const auto resource = ResourceOf(plain);
    if (!resource.ok()) return resource.status();
    Add(*resource, is_of_job ? 1 : *nodes, &counts);
  }
  return std::optional(std::move(counts));
}

}  // namespace priorityd::tables
