#include "engine/slurm/conf/reservation_words.h"

#include <iterator>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/errors/violations.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/hostlist.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {
namespace {

using priority::AccessList;
using priority::Reservation;
using Cells = std::map<std::string, std::string>;

constexpr ReservationWord kReservationWords[] = {
    {"Accounts", true}, {"Duration"},      {"EndTime"},   {"Flags", true},
    {"Nodes"},          {"PartitionName"}, {"StartTime"}, {"Users", true}};
constexpr size_t kLeastOfReservationWord = 3;

constexpr std::pair<const char*, bool Reservation::*> kReservationFlags[] = {
    {"MAINT", &Reservation::maint},
    {"FLEX", &Reservation::flex},
    {"OVERLAP", &Reservation::overlap},
    {"IGNORE_JOBS", &Reservation::ignore_jobs}};
// Say how nodes were named, which the nodes themselves say.
constexpr const char* kNodeFlags[] = {"SPEC_NODES", "ALL_NODES", "PART_NODES"};

// Slurm's length of Duration=INFINITE.
constexpr absl::Duration kYear = absl::Hours(365 * 24);
constexpr absl::Duration kLongest = absl::Hours(100 * 365 * 24);

std::string Rfc3339(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string ListText(const AccessList& list) {
  const char* sign = list.excludes ? "-" : "";
  return absl::StrJoin(list.names, ",", [&](std::string* text, const std::string& name) {
    absl::StrAppend(text, sign, name);
  });
}

// As typed, unless a node is named twice. REQUIRES: CountHosts takes it.
std::string EachNodeOnce(const std::string& nodes) {
  const absl::StatusOr<std::vector<std::string>> hosts = ExpandHostlist(nodes);
  if (!hosts.ok()) return nodes;
  std::set<std::string> once(hosts->begin(), hosts->end());
  if (once.size() == hosts->size()) return nodes;
  return CompressHosts({once.begin(), once.end()});
}

// Collects what is wrong with the cells of one reservation.
class ReservationReader {
 public:
  ReservationReader(const Cells& cells, absl::Time now) : cells_(cells), now_(now) {}

  absl::StatusOr<Reservation> Read(const std::string& name) && {
    result_.name = name;
    ReadTimes();
    ReadNodes();
    ReadList("Users", &result_.users);
    ReadList("Accounts", &result_.accounts);
    if (result_.users.names.empty() && result_.accounts.names.empty()) {
      Add("Users", "got neither Users nor Accounts, want one of them");
    }
    ReadFlags();
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(result_);
  }

 private:
  const std::string& Cell(const char* word) const {
    static const auto* const none = new std::string;
    const auto found = cells_.find(word);
    return found == cells_.end() ? *none : found->second;
  }
  void Add(absl::string_view word, absl::string_view fault) {
    violations_.Add("", absl::StrCat(word, ": ", fault));
  }
  void Add(absl::string_view word, const absl::Status& status) { Add(word, status.message()); }

  bool ReadTime(const char* word, absl::Time* time) {
    static const auto* const kLast =
        new absl::Time(absl::FromCivil(absl::CivilYear(10'000), absl::UTCTimeZone()));
    const std::string& text = Cell(word);
    const bool is_now = absl::EqualsIgnoreCase(text, "now");
    const bool reads = is_now || absl::ParseTime(absl::RFC3339_full, text, time, nullptr);
    *time = absl::FromUnixSeconds(absl::ToUnixSeconds(is_now ? now_ : *time));
    if (reads && *time >= absl::UnixEpoch() && *time < *kLast) return true;
    Add(word, Unexpected(text, "a time such as 2026-11-27T08:00:00Z, from 1970 to 9999"));
    return false;
  }

  void ReadTimes() {
    if (!ReadTime("StartTime", &result_.start)) return;
    if (!Cell("EndTime").empty()) {
      if (ReadTime("EndTime", &result_.end) && result_.end <= result_.start) {
        Add("EndTime", Unexpected(Cell("EndTime"), "a time after StartTime"));
      }
      return;
    }
    const auto duration = ParseTimeString(Cell("Duration"));
    if (!duration.ok()) return Add("Duration", duration.status());
    const absl::Duration length = *duration == absl::InfiniteDuration() ? kYear : *duration;
    if (length <= absl::ZeroDuration() || length > kLongest) {
      return Add("Duration", Unexpected(Cell("Duration"), "more than 0 and at most 36500-0"));
    }
    result_.end = result_.start + length;
  }

  void ReadNodes() {
    const std::string& nodes = Cell("Nodes");
    result_.partition = Cell("PartitionName");
    if (absl::EqualsIgnoreCase(nodes, "ALL")) {
      result_.nodes = "ALL";
      return;
    }
    const absl::StatusOr<int64_t> count = CountHosts(nodes);
    if (!count.ok()) return Add("Nodes", count.status());
    if (*count < 1 || *count > kMaxReservedNodes) {
      return Add("Nodes", absl::StrCat("got ", *count, " nodes, want 1 to ", kMaxReservedNodes,
                                       " nodes or ALL"));
    }
    if (!result_.partition.empty()) Add("PartitionName", "got it with other nodes, want Nodes=ALL");
    result_.nodes = EachNodeOnce(nodes);
  }

  void ReadList(const char* word, AccessList* list) {
    const std::vector<absl::string_view> names =
        absl::StrSplit(Cell(word), ',', absl::SkipWhitespace());
    if (names.size() > kMaxReservationNames) {
      return Add(word,
                 absl::StrCat("got ", names.size(), " names, want at most ", kMaxReservationNames));
    }
    size_t excluded = 0;
    for (absl::string_view name : names) {
      excluded += absl::ConsumePrefix(&name, "-");
      if (absl::Status s = CheckName(name); !s.ok()) Add(word, s);
      if (!absl::c_linear_search(list->names, name)) list->names.emplace_back(name);
    }
    list->excludes = excluded > 0;
    if (excluded == 0 || excluded == names.size()) return;
    Add(word, Unexpected(Cell(word), "either names, or names that all begin with -"));
  }

  void ReadFlags() {
    std::vector<std::string> known;
    for (const auto& [name, member] : kReservationFlags) known.push_back(name);
    for (const absl::string_view typed :
         absl::StrSplit(Cell("Flags"), ',', absl::SkipWhitespace())) {
      const std::string flag = absl::AsciiStrToUpper(typed);
      if (absl::c_linear_search(known, flag)) {
        SetReservationFlags({flag}, &result_);
      } else if (!absl::c_linear_search(kNodeFlags, flag)) {
        Add("Flags", Unexpected(typed, absl::StrCat("some of ", absl::StrJoin(known, ", "))));
      }
    }
  }

  const Cells& cells_;
  const absl::Time now_;
  errors::Violations violations_;
  Reservation result_;
};

}  // namespace

absl::StatusOr<ReservationWord> FindReservationWord(absl::string_view typed) {
  std::vector<ReservationWord> found;
  std::vector<absl::string_view> all;
  for (const ReservationWord& word : kReservationWords) {
    all.push_back(word.name);
    if (absl::EqualsIgnoreCase(word.name, typed)) return word;
    const bool is_short = typed.size() >= kLeastOfReservationWord;
    if (is_short && absl::StartsWithIgnoreCase(word.name, typed)) found.push_back(word);
  }
  if (found.size() == 1) return found[0];
  return Unexpected(typed, absl::StrCat("one of ", absl::StrJoin(all, ", ")));
}

std::vector<std::string> ReservationFlags(const Reservation& reservation) {
  std::vector<std::string> flags;
  for (const auto& [name, member] : kReservationFlags) {
    if (reservation.*member) flags.push_back(name);
  }
  return flags;
}

void SetReservationFlags(const std::vector<std::string>& flags, Reservation* reservation) {
  for (const auto& [name, member] : kReservationFlags) {
    reservation->*member = reservation->*member || absl::c_linear_search(flags, name);
  }
}

Cells ReservationCells(const Reservation& reservation) {
  Cells cells = {{"StartTime", Rfc3339(reservation.start)},
                 {"Duration", FormatTimeString(reservation.end - reservation.start)},
                 {"Nodes", reservation.nodes}};
  const auto set = [&](const char* word, std::string text) {
    if (!text.empty()) cells[word] = std::move(text);
  };
  set("PartitionName", reservation.partition);
  set("Users", ListText(reservation.users));
  set("Accounts", ListText(reservation.accounts));
  set("Flags", absl::StrJoin(ReservationFlags(reservation), ","));
  return cells;
}

Cells ReservationFacts(const Reservation& reservation, absl::Time now) {
  const bool is_active = reservation.OverlapsTime(now, now + absl::Nanoseconds(1));
  Cells facts = {{"EndTime", Rfc3339(reservation.end)},
                 {"State", is_active ? "ACTIVE" : "INACTIVE"}};
  std::vector<std::string> flags = ReservationFlags(reservation);
  flags.push_back("SPEC_NODES");
  if (reservation.nodes == "ALL") {
    flags.push_back(reservation.partition.empty() ? "ALL_NODES" : "PART_NODES");
  } else {
    facts["NodeCnt"] = absl::StrCat(CountHosts(reservation.nodes).value_or(0));
  }
  facts["Flags"] = absl::StrJoin(flags, ",");
  return facts;
}

absl::StatusOr<Reservation> ReadReservation(const std::string& name, const Cells& cells,
                                            absl::Time now) {
  return ReservationReader(cells, now).Read(name);
}

}  // namespace priorityd::slurm
