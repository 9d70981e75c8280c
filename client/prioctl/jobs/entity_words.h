// The words of scontrol's verbs about a partition or a reservation: its name and settings.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_ENTITY_WORDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_ENTITY_WORDS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::jobs {

// Whether `typed` is `word`, or so much of it that it can be no other.
bool IsWord(absl::string_view typed, absl::string_view word);

// Whether the words of an `update` name an entity, `PartitionName=main` for `PartitionName`, and no
// jobs.
bool NamesEntity(absl::Span<const std::string> words, absl::string_view entity);

struct EntityWords {
  std::string name;
  google::protobuf::RepeatedPtrField<::priority::v1::Setting> settings;
};

// Of the words after the verb: the `entity`'s name once, and settings. INVALID_ARGUMENT.
absl::StatusOr<EntityWords> ParseEntityWords(absl::Span<const std::string> words,
                                             absl::string_view entity);

// `settings[0].value: State: got ...` as `State: got ...`, and `names[0]: got ...` as
// `PartitionName: got ...`.
absl::Status InWords(const absl::Status& status, absl::string_view entity, int settings);

// INVALID_ARGUMENT if `on_behalf_of` is set: the entity is changed with the caller's own rights.
absl::Status CheckOwnRights(const std::string& on_behalf_of, absl::string_view entity);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_ENTITY_WORDS_H_
