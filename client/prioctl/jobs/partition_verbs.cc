#include "client/prioctl/jobs/partition_verbs.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/jobs/partition_sheet.h"
#include "client/prioctl/jobs/print_json.h"
#include "client/rpc_error.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kLeastLetters = 3;

// What stands before the `=`, or all there is.
absl::string_view NameOf(absl::string_view word) { return word.substr(0, word.find('=')); }

bool IsPartitionName(absl::string_view name) {
  return name.size() >= kLeastLetters && absl::StartsWithIgnoreCase("PartitionName", name);
}

bool NamesJobs(absl::string_view name) {
  return absl::c_any_of(std::initializer_list<absl::string_view>{"Job", "JobId", "JobName", "Name"},
                        [&](absl::string_view word) { return absl::EqualsIgnoreCase(word, name); });
}

// `NAME=VALUE`, `NAME+=VALUE`, `NAME-=VALUE`.
absl::StatusOr<v1::Setting> ParseSetting(const std::string& word) {
  absl::string_view name = NameOf(word);
  v1::Setting setting;
  if (name.size() < word.size()) setting.set_value(word.substr(name.size() + 1));
  if (absl::EndsWith(name, "+")) setting.set_operator_(v1::SETTING_OPERATOR_ADD);
  if (absl::EndsWith(name, "-")) setting.set_operator_(v1::SETTING_OPERATOR_REMOVE);
  if (setting.operator_() != v1::SETTING_OPERATOR_UNSPECIFIED) name.remove_suffix(1);
  if (name.empty() || word.find('=') == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("got \"", word, "\", want WORD=VALUE"));
  }
  setting.set_name(std::string(name));
  return setting;
}

struct PartitionWords {
  std::string name;
  google::protobuf::RepeatedPtrField<v1::Setting> settings;
};

absl::Status TakeName(const v1::Setting& setting, PartitionWords* parsed) {
  if (!parsed->name.empty())
    return absl::InvalidArgumentError("PartitionName: got two, want one partition");
  const bool is_name =
      setting.operator_() == v1::SETTING_OPERATOR_UNSPECIFIED && !setting.value().empty();
  if (!is_name)
    return absl::InvalidArgumentError(
        "PartitionName: want PartitionName=NAME, the name of one partition");
  parsed->name = setting.value();
  return absl::OkStatus();
}

// Of the words after the verb.
absl::StatusOr<PartitionWords> Parse(absl::Span<const std::string> words) {
  PartitionWords parsed;
  for (const std::string& word : words.subspan(1)) {
    absl::StatusOr<v1::Setting> setting = ParseSetting(word);
    if (!setting.ok()) return setting.status();
    if (!IsPartitionName(setting->name())) {
      *parsed.settings.Add() = *std::move(setting);
      continue;
    }
    if (absl::Status s = TakeName(*setting, &parsed); !s.ok()) return s;
  }
  if (!parsed.name.empty()) return parsed;
  return absl::InvalidArgumentError(
      absl::StrCat(words.front(), ": want PartitionName=NAME; partitions are all that ",
                   "can be created or deleted here"));
}

v1::UpdatePartitionsRequest RequestOf(const PartitionWords& parsed) {
  v1::UpdatePartitionsRequest request;
  request.add_names(parsed.name);
  *request.mutable_settings() = parsed.settings;
  return request;
}

// `settings[0].value: State: got ...` as `State: got ...`, and `names[0]: got ...` as
// `PartitionName: got ...`.
absl::Status InWords(const absl::Status& status, int settings) {
  std::string text = absl::StrReplaceAll(client::Describe(status), {{"names[0]", "PartitionName"}});
  for (int i = 0; i < settings; ++i) {
    for (const char* part : {".value: ", ".name: ", ".operator: "}) {
      text = absl::StrReplaceAll(text, {{absl::StrCat("settings[", i, "]", part), ""}});
    }
  }
  return client::Retold(status, text);
}

}  // namespace

bool NamesPartition(absl::Span<const std::string> words) {
  bool names_partition = false;
  for (const std::string& word : words) {
    if (NamesJobs(NameOf(word))) return false;
    names_partition = names_partition || IsPartitionName(NameOf(word));
  }
  return names_partition;
}

absl::Status PartitionVerbs::CheckRights() const {
  if (options_.on_behalf_of.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--on-behalf-of: got \"", options_.on_behalf_of,
                   "\", want none: partitions are changed with the caller's own rights"));
}

absl::Status PartitionVerbs::Print(const absl::StatusOr<v1::ChangeResponse>& response,
                                   int settings) {
  if (!response.ok()) return InWords(response.status(), settings);
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
  if (absl::Status s = CheckRights(); !s.ok()) return s;
  if (parsed->settings.empty()) return absl::InvalidArgumentError("No changes specified");
  return Print(client_.UpdatePartitions(RequestOf(*parsed)), parsed->settings.size());
}

absl::Status PartitionVerbs::Create() {
  const auto parsed = Parse(options_.words);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckRights(); !s.ok()) return s;
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
  if (absl::Status s = CheckRights(); !s.ok()) return s;
  if (!parsed->settings.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("got \"", parsed->settings[0].name(),
                                                   "\", want nothing but PartitionName=NAME"));
  }
  v1::DeletePartitionsRequest request;
  request.add_names(parsed->name);
  return Print(client_.DeletePartitions(request), 0);
}

}  // namespace priorityd::jobs
