#include "engine/slurm/conf/node_kinds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/conf/conf_files.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/node_lines.h"

namespace priorityd::slurm {
namespace {

constexpr absl::string_view kKeys[] = {"nodes"};
// The largest number of digits of a number; longer ones are part of the name.
constexpr size_t kMostDigits = 18;

// `n017`: n, 3 digits, 17.
struct NumberedHost {
  std::string prefix;
  size_t width = 0;  // 0 = it has no number.
  uint64_t number = 0;

  auto key() const { return std::tie(prefix, width, number); }
};

NumberedHost Split(const std::string& host) {
  size_t digits = 0;
  while (digits < std::min(host.size(), kMostDigits) &&
         absl::ascii_isdigit(static_cast<unsigned char>(host[host.size() - 1 - digits]))) {
    ++digits;
  }
  NumberedHost split{host.substr(0, host.size() - digits), digits};
  if (digits > 0)
    static_cast<void>(absl::SimpleAtoi(host.substr(host.size() - digits), &split.number));
  return split;
}

std::string Number(const NumberedHost& host) {
  const std::string digits = absl::StrCat(host.number);
  return std::string(host.width - std::min(host.width, digits.size()), '0') + digits;
}

class NodeKindReader {
 public:
  absl::StatusOr<std::vector<NodeKind>> Read(absl::Span<const SourceFile> files) {
    ReadConfLines(files, violations_, warnings_, [this](const ConfLine& line) { Use(line); });
    for (size_t i = 0; i < partitions_.size(); ++i) AddPartition(static_cast<int>(i));
    if (!violations_.empty()) return violations_.ToStatus();
    for (const ConfPair& line : node_lines_) AddHosts(line);
    std::vector<NodeKind> kinds;
    for (auto& [place, hosts] : hosts_) {
      NodeKind& kind = kinds.emplace_back();
      kind.hosts = CompressHosts(std::move(hosts));
      kind.tres = nodes_.TresOfGroup(place.first);
      kind.settings = nodes_.SettingsOfGroup(place.first);
      kind.tres.erase("node");
      if (kind.tres["mem"] <= 1) kind.tres.erase("mem");
      for (const int partition : place.second) {
        kind.partitions.push_back(partitions_[partition].first);
      }
    }
    return kinds;
  }

 private:
  void Use(const ConfLine& line) {
    const ConfPair& name = line.pairs[0];
    const bool is_default = absl::EqualsIgnoreCase(name.value, "DEFAULT");
    if (absl::EqualsIgnoreCase(name.key, "NodeName")) {
      nodes_.ReadNode(line);
      if (!is_default) node_lines_.push_back(name);
    } else if (absl::EqualsIgnoreCase(name.key, "NodeSet")) {
      nodes_.ReadNodeSet(line);
    } else if (absl::EqualsIgnoreCase(name.key, "PartitionName")) {
      ConfRecord record = defaults_;
      record.Merge(line, kKeys, warnings_);
      if (is_default) {
        defaults_ = std::move(record);
      } else {
        partitions_.emplace_back(name.value, std::move(record));
      }
    }
  }

  void AddPartition(int number) {
    const ConfPair* nodes = partitions_[number].second.Find("nodes");
    if (nodes == nullptr) return;
    for (const std::string& host : nodes_.HostsOf(*nodes)) partitions_of_[host].insert(number);
  }

  void AddHosts(const ConfPair& line) {
    for (const std::string& host : nodes_.HostsOf(line)) {
      const int group = nodes_.GroupOf(host);
      if (group < 0) continue;
      const std::set<int>& partitions = partitions_of_[host];
      hosts_[{group, {partitions.begin(), partitions.end()}}].push_back(host);
    }
  }

  FileViolations violations_;
  std::vector<std::string> warnings_;
  NodeLines nodes_{violations_, warnings_};
  std::vector<ConfPair> node_lines_;
  ConfRecord defaults_;
  std::vector<std::pair<std::string, ConfRecord>> partitions_;
  std::map<std::string, std::set<int>> partitions_of_;
  std::map<std::pair<int, std::vector<int>>, std::vector<std::string>> hosts_;
};

}  // namespace

NodeLineState LineStateOf(const std::map<std::string, std::string>& settings) {
  const auto found = settings.find("state");
  if (found == settings.end()) return NodeLineState::kUp;
  const std::string state = absl::AsciiStrToUpper(found->second);
  if (absl::StartsWith(state, "DOWN")) return NodeLineState::kDown;
  // Also in CLOUD+DRAIN.
  if (absl::StrContains(state, "DRAIN")) return NodeLineState::kDrain;
  return absl::StartsWith(state, "FAIL") ? NodeLineState::kFail : NodeLineState::kUp;
}

absl::StatusOr<std::vector<NodeKind>> ReadNodeKinds(absl::Span<const SourceFile> files) {
  return NodeKindReader().Read(files);
}

std::string CompressHosts(std::vector<std::string> hosts) {
  std::vector<NumberedHost> split;
  for (const std::string& host : hosts) split.push_back(Split(host));
  std::sort(split.begin(), split.end(),
            [](const NumberedHost& a, const NumberedHost& b) { return a.key() < b.key(); });
  std::vector<std::string> parts;
  for (size_t i = 0; i < split.size();) {
    std::vector<std::string> ranges;
    const NumberedHost& first = split[i];
    while (i < split.size() && split[i].prefix == first.prefix && split[i].width == first.width) {
      const NumberedHost& begin = split[i];
      while (i + 1 < split.size() && split[i + 1].prefix == begin.prefix &&
             split[i + 1].width == begin.width && split[i + 1].number == split[i].number + 1) {
        ++i;
      }
      const bool is_one = split[i].number == begin.number;
      if (begin.width > 0) ranges.push_back(Number(begin) + (is_one ? "" : "-" + Number(split[i])));
      ++i;
    }
    const bool plain = ranges.empty() || (ranges.size() == 1 && !absl::StrContains(ranges[0], '-'));
    parts.push_back(plain ? first.prefix + absl::StrJoin(ranges, "")
                          : absl::StrCat(first.prefix, "[", absl::StrJoin(ranges, ","), "]"));
  }
  return absl::StrJoin(parts, ",");
}

}  // namespace priorityd::slurm
