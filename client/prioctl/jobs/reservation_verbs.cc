#include "client/prioctl/jobs/reservation_verbs.h"

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/jobs/entity_words.h"
#include "client/prioctl/jobs/job_update.h"
#include "client/prioctl/jobs/print_json.h"
#include "client/prioctl/jobs/reservation_sheet.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr char kEntityName[] = "ReservationName";

// Local times, and those relative to now, as RFC 3339.
absl::Status ResolveTimes(absl::Time now, EntityWords* parsed) {
  for (v1::Setting& setting : parsed->settings) {
    if (!IsWord(setting.name(), "StartTime") && !IsWord(setting.name(), "EndTime")) continue;
    const std::optional<absl::Time> time = ParseBegin(setting.value(), now);
    if (!time.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(setting.name(), ": got \"", setting.value(),
                       "\", want a time such as 2026-11-23T08:00, 08:00 or now+2hours"));
    }
    setting.set_value(absl::FormatTime(absl::RFC3339_sec, *time, absl::UTCTimeZone()));
  }
  return absl::OkStatus();
}

// Of the words after the verb; the word `reservation` may stand before them.
absl::StatusOr<EntityWords> ParseReservation(absl::Span<const std::string> words, absl::Time now) {
  const bool has_title = words.size() > 1 && IsWord(words[1], "reservation");
  auto parsed = ParseEntityWords(words.subspan(has_title ? 2 : 1), kEntityName);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = ResolveTimes(now, &*parsed); !s.ok()) return s;
  return parsed;
}

v1::UpdateReservationsRequest UpdateOf(const EntityWords& parsed) {
  v1::UpdateReservationsRequest request;
  request.add_names(parsed.name);
  *request.mutable_settings() = parsed.settings;
  return request;
}

}  // namespace

bool BeginsWithReservation(absl::Span<const std::string> words) {
  return !words.empty() && IsWord(words[0].substr(0, words[0].find('=')), kEntityName);
}

absl::Status ReservationVerbs::Print(const absl::StatusOr<v1::ChangeResponse>& response,
                                     int settings, const std::string& done) {
  if (!response.ok()) return InWords(response.status(), kEntityName, settings);
  if (options_.json) return PrintJson(*response, out_);
  for (const std::string& warning : response->warnings()) err_ << "Warning: " << warning << '\n';
  out_ << done;
  return absl::OkStatus();
}

absl::Status ReservationVerbs::Show(const std::string& name) {
  v1::ListReservationsRequest request;
  if (!name.empty()) request.add_names(name);
  const auto shown = client_.ListReservations(request);
  if (!shown.ok()) return shown.status();
  const bool is_missing = !name.empty() && shown->reservations().empty();
  if (is_missing) *exit_code_ = 1;
  if (options_.json) return PrintJson(*shown, out_);
  for (const v1::Reservation& reservation : shown->reservations()) {
    out_ << ReservationSheet(reservation, options_.one_line);
  }
  if (is_missing) out_ << "Reservation " << name << " not found\n";
  if (name.empty() && shown->reservations().empty()) out_ << "No reservations in the system\n";
  return absl::OkStatus();
}

absl::Status ReservationVerbs::Update() {
  const auto parsed = ParseReservation(options_.words, now_);
  if (!parsed.ok()) return parsed.status();
  absl::Status may = CheckOwnRights(options_.on_behalf_of, "reservations");
  if (!may.ok()) return may;
  if (parsed->settings.empty()) return absl::InvalidArgumentError("No changes specified");
  return Print(client_.UpdateReservations(UpdateOf(*parsed)), parsed->settings.size(),
               "Reservation updated.\n");
}

absl::Status ReservationVerbs::Create() {
  const auto parsed = ParseReservation(options_.words, now_);
  if (!parsed.ok()) return parsed.status();
  absl::Status may = CheckOwnRights(options_.on_behalf_of, "reservations");
  if (!may.ok()) return may;
  v1::ListReservationsRequest question;
  question.add_names(parsed->name);
  const auto present = client_.ListReservations(question);
  if (!present.ok()) return present.status();
  v1::UpdateReservationsRequest request = UpdateOf(*parsed);
  for (const v1::Reservation& reservation : present->reservations()) {
    const auto end = reservation.attributes().find("EndTime");
    absl::Time ends = absl::InfiniteFuture();
    if (end != reservation.attributes().end()) {
      absl::ParseTime(absl::RFC3339_full, end->second, &ends, nullptr);
    }
    if (ends <= now_) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Duplicate reservation name: got \"", parsed->name, "\"; update changes it"));
  }
  request.set_allow_missing(true);
  // Nobody creates it meanwhile.
  request.mutable_options()->set_etag(present->etag());
  return Print(client_.UpdateReservations(request), parsed->settings.size(),
               absl::StrCat("Reservation created: ", parsed->name, "\n"));
}

absl::Status ReservationVerbs::Delete() {
  const auto parsed = ParseReservation(options_.words, now_);
  if (!parsed.ok()) return parsed.status();
  absl::Status may = CheckOwnRights(options_.on_behalf_of, "reservations");
  if (!may.ok()) return may;
  if (!parsed->settings.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("got \"", parsed->settings[0].name(),
                                                   "\", want nothing but ReservationName=NAME"));
  }
  v1::DeleteReservationsRequest request;
  request.add_names(parsed->name);
  return Print(client_.DeleteReservations(request), 0, "");
}

}  // namespace priorityd::jobs
