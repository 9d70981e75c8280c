#include "client/prioctl/nodes/host_lists.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::nodes {
namespace {

// Longer numbers are part of the name.
constexpr size_t kMostDigits = 18;

// `n017`: n, 017, 17.
struct Host {
  std::string prefix;
  std::string digits;  // Empty = none.
  uint64_t number = 0;

  auto key() const { return std::make_tuple(prefix, digits.empty() ? 0 : 1, number, digits); }
};

Host HostOf(const std::string& name) {
  size_t begin = name.size();
  while (begin > 0 && name.size() - begin < kMostDigits &&
         absl::ascii_isdigit(static_cast<unsigned char>(name[begin - 1]))) {
    --begin;
  }
  Host host{name.substr(0, begin), name.substr(begin), 0};
  if (!host.digits.empty()) static_cast<void>(absl::SimpleAtoi(host.digits, &host.number));
  return host;
}

bool HasLeadingZero(const std::string& digits) { return digits.size() > 1 && digits[0] == '0'; }

// Whether `n09` and `n10`, or `n9` and `n10`, follow each other in one range.
bool Follows(const Host& first, const Host& next) {
  if (first.prefix != next.prefix || next.digits.empty() || first.digits.empty()) return false;
  if (next.number != first.number + 1) return false;
  return first.digits.size() == next.digits.size() ||
         (!HasLeadingZero(first.digits) && !HasLeadingZero(next.digits));
}

absl::StatusOr<std::vector<Host>> HostsOf(absl::string_view text) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipWhitespace());
  const auto names = slurm::ExpandHostlist(absl::StrJoin(words, ","));
  if (!names.ok()) return names.status();
  if (names->empty()) return absl::InvalidArgumentError("host list is empty");
  std::vector<Host> hosts;
  for (const std::string& name : *names) hosts.push_back(HostOf(name));
  return hosts;
}

std::string ListOf(const std::vector<Host>& hosts) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < hosts.size();) {
    const std::string& prefix = hosts[i].prefix;
    std::vector<std::string> ranges;
    const bool is_number = !hosts[i].digits.empty();
    do {
      const Host& first = hosts[i];
      while (i + 1 < hosts.size() && Follows(hosts[i], hosts[i + 1])) ++i;
      const bool is_one = hosts[i].digits == first.digits;
      ranges.push_back(is_one ? first.digits : absl::StrCat(first.digits, "-", hosts[i].digits));
      ++i;
    } while (is_number && i < hosts.size() && hosts[i].prefix == prefix &&
             !hosts[i].digits.empty());
    const bool is_plain = ranges.size() == 1 && !absl::StrContains(ranges[0], '-');
    parts.push_back(is_plain ? prefix + ranges[0]
                             : absl::StrCat(prefix, "[", absl::StrJoin(ranges, ","), "]"));
  }
  return absl::StrCat(absl::StrJoin(parts, ","), "\n");
}

}  // namespace

absl::StatusOr<std::string> HostNames(absl::string_view expression) {
  const auto hosts = HostsOf(expression);
  if (!hosts.ok()) return hosts.status();
  std::string lines;
  for (const Host& host : *hosts) absl::StrAppend(&lines, host.prefix, host.digits, "\n");
  return lines;
}

absl::StatusOr<std::string> HostList(absl::string_view hosts) {
  const auto list = HostsOf(hosts);
  if (!list.ok()) return list.status();
  return ListOf(*list);
}

absl::StatusOr<std::string> SortedHostList(absl::string_view hosts) {
  auto list = HostsOf(hosts);
  if (!list.ok()) return list.status();
  absl::c_stable_sort(*list, [](const Host& a, const Host& b) { return a.key() < b.key(); });
  return ListOf(*list);
}

}  // namespace priorityd::nodes
