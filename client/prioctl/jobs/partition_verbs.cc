#include "client/prioctl/jobs/partition_verbs.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/jobs/entity_words.h"
#include "client/prioctl/jobs/partition_sheet.h"
#include "client/prioctl/jobs/print_json.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr char kEntity[] = "PartitionName";

// Of the words after the verb.
absl::StatusOr<EntityWords> Parse(absl::Span<const std::string> words) {
  return ParseEntityWords(words.subspan(1), kEntity);
}

v1::UpdatePartitionsRequest RequestOf(const EntityWords& parsed) {
  v1::UpdatePartitionsRequest request;
  request.add_names(parsed.name);
  *request.mutable_settings() = parsed.settings;
  return request;
}

}  // namespace

absl::Status PartitionVerbs::Print(const absl::StatusOr<v1::ChangeResponse>& response,
                                   int settings) {
  if (!response.ok()) return InWords(response.status(), kEntity, settings);
  if (options_.json) return PrintJson(*response, out_);
  for (const std::string& warning : response->warnings()) err_ << "Warning: " << warning << '\n';
  return absl::OkStatus();
}

absl::Status PartitionVerbs::Show(const std::string& name) {
  v1::ListPartitionsRequest request;
  if (!name.empty()) request.add_names(name);
  const auto shown = client_.ListPartitions(request);
  if (!shown.ok()) return shown.status();
  const bool is_missing = !name.empty() && shown->partitions().empty();
  if (is_missing) *exit_code_ = 1;
  if (options_.json) return PrintJson(*shown, out_);
  for (const v1::Partition& partition : shown->partitions()) {
    out_ << PartitionSheet(partition, options_.one_line);
  }
  if (is_missing) out_ << "Partition " << name << " not found\n";
  if (name.empty() && shown->partitions().empty()) out_ << "No partitions in the system\n";
  return absl::OkStatus();
}

absl::Status PartitionVerbs::Update() {
  const auto parsed = Parse(options_.words);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckOwnRights(options_.on_behalf_of, "partitions"); !s.ok()) return s;
  if (parsed->settings.empty()) return absl::InvalidArgumentError("No changes specified");
  return Print(client_.UpdatePartitions(RequestOf(*parsed)), parsed->settings.size());
}

absl::Status PartitionVerbs::Create() {
  const auto parsed = Parse(options_.words);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckOwnRights(options_.on_behalf_of, "partitions"); !s.ok()) return s;
  v1::ListPartitionsRequest question;
  question.add_names(parsed->name);
  const auto present = client_.ListPartitions(question);
  if (!present.ok()) return present.status();
  if (!present->partitions().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "PartitionName: got \"", parsed->name, "\", which is there already; update changes it"));
  }
  v1::UpdatePartitionsRequest request = RequestOf(*parsed);
  request.set_allow_missing(true);
  // Nobody creates it meanwhile.
  request.mutable_options()->set_etag(present->etag());
  return Print(client_.UpdatePartitions(request), parsed->settings.size());
}

absl::Status PartitionVerbs::Delete() {
  const auto parsed = Parse(options_.words);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckOwnRights(options_.on_behalf_of, "partitions"); !s.ok()) return s;
  if (!parsed->settings.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("got \"", parsed->settings[0].name(),
                                                   "\", want nothing but PartitionName=NAME"));
  }
  v1::DeletePartitionsRequest request;
  request.add_names(parsed->name);
  return Print(client_.DeletePartitions(request), 0);
}

}  // namespace priorityd::jobs
