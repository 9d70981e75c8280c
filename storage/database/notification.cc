#include "storage/database/notification.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr char kNotify[] = "SELECT pg_notify('priorityd', $1)";

// Migration 0016 and RecalculationRequestStore write some of them too.
constexpr std::pair<Subject, absl::string_view> kWords[] = {
    {Subject::kConfiguration, "configuration"},
    {Subject::kSnapshot, "snapshot"},
    {Subject::kNumbers, "numbers"},
    {Subject::kRequest, "request"},
    {Subject::kAnswer, "answer"},
    {Subject::kQueue, "queue"},
    {Subject::kHaste, "haste"},
};

}  // namespace

std::string ToPayload(const Notification& notification) {
  if (notification.cluster.empty()) return "";
  for (const auto& [subject, word] : kWords) {
    if (subject == notification.subject) return absl::StrCat(word, " ", notification.cluster);
  }
  return "";
}

Notification FromPayload(absl::string_view payload) {
  const size_t space = payload.find(' ');
  if (space == absl::string_view::npos || space + 1 == payload.size()) return {};
  for (const auto& [subject, word] : kWords) {
    if (word == payload.substr(0, space)) return {subject, std::string(payload.substr(space + 1))};
  }
  return {};
}

absl::Status Notify(Transaction& transaction, const Notification& notification) {
  return transaction.Execute(kNotify, {ToPayload(notification)}).status();
}

}  // namespace priorityd::storage
