// The settings of a reservation in scontrol's words.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_RESERVATION_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_RESERVATION_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/reservation.h"

namespace priorityd::slurm {

// Bounds of one reservation.
inline constexpr int64_t kMaxReservedNodes = 100'000;
inline constexpr size_t kMaxReservationNames = 1000;  // Of users; of accounts.

struct ReservationWord {
  absl::string_view name;
  bool is_list = false;  // Of names.
};

// The word for `typed`: case-insensitive, or an unambiguous abbreviation. INVALID_ARGUMENT
// `got "x", want ...`.
absl::StatusOr<ReservationWord> FindReservationWord(absl::string_view typed);

// The settings, word to text; ReadReservation returns the same reservation. Times as RFC 3339.
std::map<std::string, std::string> ReservationCells(const priority::Reservation& reservation);

// The other fields of `scontrol show reservation`: EndTime, NodeCnt (not of ALL), State, and Flags
// with those that say how its nodes were named.
std::map<std::string, std::string> ReservationFacts(const priority::Reservation& reservation,
                                                    absl::Time now);

// The reservation with these settings: StartTime (RFC 3339, or `now`), EndTime or Duration, Nodes,
// PartitionName, Users, Accounts, Flags. INVALID_ARGUMENT has a list of violations whose
// descriptions begin with the word: `Duration: got ...`. Nodes are a set: n1,n[1-2] is read as
// n[1-2].
absl::StatusOr<priority::Reservation> ReadReservation(
    const std::string& name, const std::map<std::string, std::string>& cells, absl::Time now);

// MAINT, FLEX, OVERLAP and IGNORE_JOBS, those that it has; and set from them. Others are ignored.
std::vector<std::string> ReservationFlags(const priority::Reservation& reservation);
void SetReservationFlags(const std::vector<std::string>& flags, priority::Reservation* reservation);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_RESERVATION_WORDS_H_
