#include "client/prioctl/jobs/partition_sheet.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/jobs/job_text.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

// Empty = it is not set.
std::string ValueOf(const v1::Partition& partition, const std::string& word) {
  const auto found = partition.attributes().find(word);
  return found == partition.attributes().end() ? "" : found->second;
}

// `WORD=VALUE`; `otherwise` where nothing is set.
std::string Token(const v1::Partition& partition, const std::string& word,
                  const std::string& otherwise) {
  const std::string value = ValueOf(partition, word);
  return absl::StrCat(word, "=", value.empty() ? otherwise : value);
}

// The list of those denied stands where there is none of those allowed.
std::string AccessToken(const v1::Partition& partition, const std::string& what) {
  const std::string allow = absl::StrCat("Allow", what), deny = absl::StrCat("Deny", what);
  const bool denies = ValueOf(partition, allow).empty() && !ValueOf(partition, deny).empty();
  return denies ? Token(partition, deny, "") : Token(partition, allow, "ALL");
}

using Count = std::pair<std::string, std::string>;  // `cpu` and `16`.

// Slurm's order of the TRES that every cluster has; others follow.
int RankOf(const Count& count) {
  constexpr const char* kFirst[] = {"cpu", "mem", "node", "billing"};
  return static_cast<int>(absl::c_find(kFirst, count.first) - std::begin(kFirst));
}

std::string TresOfNodes(const std::string& attribute) {
  std::vector<Count> counts;
  for (const absl::string_view text : absl::StrSplit(attribute, ',', absl::SkipEmpty())) {
    counts.push_back(absl::StrSplit(text, absl::MaxSplits('=', 1)));
    double megabytes = 0;
    Count& count = counts.back();
    const bool is_memory = count.first == "mem" && absl::SimpleAtod(count.second, &megabytes);
    if (is_memory) count.second = MemoryText(megabytes);
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const Count& a, const Count& b) { return RankOf(a) < RankOf(b); });
  return counts.empty() ? "(null)" : absl::StrJoin(counts, ",", absl::PairFormatter("="));
}

}  // namespace

std::string PartitionSheet(const v1::Partition& partition, bool one_line) {
  const auto token = [&](const char* word, const char* otherwise) {
    return Token(partition, word, otherwise);
  };
  const std::string qos = ValueOf(partition, "QOS");
  std::vector<std::string> lines = {
      absl::StrCat("PartitionName=", partition.name()),
      absl::StrCat(AccessToken(partition, "Accounts"), " ", AccessToken(partition, "Qos")),
      absl::StrCat(token("Default", "NO"), " QoS=", qos.empty() ? "N/A" : qos),
      token("DefaultTime", "NONE"),
      absl::StrCat(token("MaxNodes", "UNLIMITED"), " ", token("MaxTime", "UNLIMITED"), " ",
                   token("MinNodes", "0")),
      absl::StrCat(token("PriorityJobFactor", "1"), " ", token("PriorityTier", "1")),
      token("PreemptMode", "OFF"),
      absl::StrCat(token("State", "UP"), " ", token("TotalCPUs", "0"), " ",
                   token("TotalNodes", "0")),
      absl::StrCat("TRES=", TresOfNodes(ValueOf(partition, "TRES")))};
  const std::string weights = ValueOf(partition, "TRESBillingWeights");
  if (!weights.empty()) lines.push_back(absl::StrCat("TRESBillingWeights=", weights));
  return absl::StrCat(absl::StrJoin(lines, one_line ? " " : "\n   "), one_line ? "\n" : "\n\n");
}

}  // namespace priorityd::jobs
