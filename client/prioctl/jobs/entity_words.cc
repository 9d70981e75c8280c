#include "client/prioctl/jobs/entity_words.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/rpc_error.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kLeastOfEntity = 3;

// The part before the `=`, or all without one.
absl::string_view NameOf(absl::string_view word) { return word.substr(0, word.find('=')); }

bool NamesJobs(absl::string_view name) {
  return absl::c_any_of(std::initializer_list<absl::string_view>{"Job", "JobId", "JobName", "Name"},
                        [&](absl::string_view word) { return absl::EqualsIgnoreCase(word, name); });
}

// `NAME=VALUE`, `NAME+=VALUE`, `NAME-=VALUE`.
absl::StatusOr<v1::Setting> ParseEntitySetting(const std::string& word) {
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

absl::Status TakeName(const v1::Setting& setting, absl::string_view entity, EntityWords* parsed) {
  if (!parsed->name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(entity, ": got two, want one"));
  }
  const bool is_name =
      setting.operator_() == v1::SETTING_OPERATOR_UNSPECIFIED && !setting.value().empty();
  if (!is_name) {
    return absl::InvalidArgumentError(absl::StrCat(entity, ": want ", entity, "=NAME, one name"));
  }
  parsed->name = setting.value();
  return absl::OkStatus();
}

}  // namespace

bool IsWord(absl::string_view typed, absl::string_view word) {
  return typed.size() >= kLeastOfEntity && absl::StartsWithIgnoreCase(word, typed);
}

bool NamesEntity(absl::Span<const std::string> words, absl::string_view entity) {
  bool names_it = false;
  for (const std::string& word : words) {
    if (NamesJobs(NameOf(word))) return false;
    names_it = names_it || IsWord(NameOf(word), entity);
  }
  return names_it;
}

absl::StatusOr<EntityWords> ParseEntityWords(absl::Span<const std::string> words,
                                             absl::string_view entity) {
  EntityWords parsed;
  for (const std::string& word : words) {
    absl::StatusOr<v1::Setting> setting = ParseEntitySetting(word);
    if (!setting.ok()) return setting.status();
    if (!IsWord(setting->name(), entity)) {
      *parsed.settings.Add() = *std::move(setting);
      continue;
    }
    if (absl::Status s = TakeName(*setting, entity, &parsed); !s.ok()) return s;
  }
  if (!parsed.name.empty()) return parsed;
  return absl::InvalidArgumentError(absl::StrCat("got no ", entity, ", want ", entity, "=NAME"));
}

absl::Status InWords(const absl::Status& status, absl::string_view entity, int settings) {
  std::string text = absl::StrReplaceAll(client::Describe(status), {{"names[0]", entity}});
  for (int i = 0; i < settings; ++i) {
    for (const char* part : {".value: ", ".name: ", ".operator: "}) {
      text = absl::StrReplaceAll(text, {{absl::StrCat("settings[", i, "]", part), ""}});
    }
  }
  return client::Retold(status, absl::StrReplaceAll(text, {{"settings: ", ""}}));
}

absl::Status CheckOwnRights(const std::string& on_behalf_of, absl::string_view entity) {
  if (on_behalf_of.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--on-behalf-of: got \"", on_behalf_of,
                                                 "\", want none: ", entity,
                                                 " are changed with the caller's own rights"));
}

}  // namespace priorityd::jobs
