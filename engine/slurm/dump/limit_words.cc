#include "engine/slurm/dump/limit_words.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/dump/qos_words.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {
namespace {

using Kind = priority::LimitKind;
using Values = std::vector<priority::LimitValue>;

constexpr uint64_t kNoCount = std::numeric_limits<uint32_t>::max();

struct LimitOf {
  absl::string_view word;
  Kind kind;
};

constexpr LimitOf kOfAssociations[] = {
    {"GrpTRESRunMins", Kind::kGrpTresRunMins},
    {"GrpTRES", Kind::kGrpTres},
    {"GrpJobs", Kind::kGrpJobs},
    {"GrpSubmitJobs", Kind::kGrpSubmitJobs},
    {"MaxTRESMinsPerJob", Kind::kMaxTresMins},
    {"MaxTRESRunMins", Kind::kMaxTresRunMins},
    {"MaxTRESPerJob", Kind::kMaxTres},
    {"MaxTRESPerNode", Kind::kMaxTresPerNode},
    {"MaxJobs", Kind::kMaxJobs},
    {"MaxWallDurationPerJob", Kind::kMaxWall},
};

constexpr LimitOf kOfQos[] = {
    {"GrpJobs", Kind::kGrpJobs},
    {"GrpSubmit", Kind::kGrpSubmitJobs},
    {"GrpTRES", Kind::kGrpTres},
    {"GrpTRESRunMins", Kind::kGrpTresRunMins},
    {"MaxJobsPA", Kind::kMaxJobsPerAccount},
    {"MaxJobsPU", Kind::kMaxJobs},
    {"MaxSubmitPA", Kind::kMaxSubmitJobsPerAccount},
    {"MaxTRES", Kind::kMaxTres},
    {"MaxTRESMins", Kind::kMaxTresMins},
    {"MaxTRESPA", Kind::kMaxTresPerAccount},
    {"MaxTRESPerNode", Kind::kMaxTresPerNode},
    {"MaxTRESPU", Kind::kMaxTresPerUser},
    {"MaxTRESRunMinsPA", Kind::kMaxTresRunMinsPerAccount},
    {"MaxTRESRunMinsPU", Kind::kMaxTresRunMins},
    {"MaxWall", Kind::kMaxWall},
    {"MinTRES", Kind::kMinTres},
};

absl::Status AddCount(Kind kind, absl::string_view value, Values* limits) {
  if (value == "-1") return absl::OkStatus();
  const std::optional<uint64_t> count = ReadInteger(value, kNoCount);
  if (!count.has_value()) return Unexpected(value, "a whole number or -1");
  if (*count < kNoCount) limits->push_back({kind, "", static_cast<double>(*count)});
  return absl::OkStatus();
}

absl::Status AddTime(Kind kind, absl::string_view value, Values* limits) {
  const absl::StatusOr<absl::Duration> time = ParseMinutes(value);
  if (!time.ok()) return time.status();
  if (*time == absl::InfiniteDuration()) return absl::OkStatus();
  limits->push_back({kind, "", absl::ToDoubleSeconds(*time)});
  return absl::OkStatus();
}

absl::Status AddTres(Kind kind, absl::string_view value, Values* limits) {
  const absl::StatusOr<priority::TresMap> tres = ParseTresLimits(value);
  if (!tres.ok()) return tres.status();
  for (const auto& [name, count] : *tres) limits->push_back({kind, name, count});
  return absl::OkStatus();
}

absl::StatusOr<bool> Add(absl::Span<const LimitOf> known, absl::string_view word,
                         absl::string_view value, Values* limits) {
  for (const LimitOf& limit : known) {
    if (limit.word != word) continue;
    const priority::LimitMeasure measure = priority::RuleOf(limit.kind).measure;
    const absl::Status added =
        measure == priority::LimitMeasure::kJobs   ? AddCount(limit.kind, value, limits)
        : measure == priority::LimitMeasure::kWall ? AddTime(limit.kind, value, limits)
                                                   : AddTres(limit.kind, value, limits);
    if (!added.ok()) return added;
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> AddAssociationLimit(absl::string_view name, absl::string_view value,
                                         std::vector<priority::LimitValue>* limits) {
  if (const TresWord* word = FindTresWord(name)) {
    return Add(kOfAssociations, word->list, absl::StrCat(word->tres, "=", value), limits);
  }
  const AssociationWord* word = FindAssociationWord(name);
  return word == nullptr ? false : Add(kOfAssociations, word->name, value, limits);
}

absl::StatusOr<bool> AddQosLimit(absl::string_view name, absl::string_view value,
                                 std::vector<priority::LimitValue>* limits) {
  const absl::StatusOr<QosWord> word = FindQosWord(name);
  return word.ok() ? Add(kOfQos, word->name, value, limits) : false;
}

}  // namespace priorityd::slurm
