#include "server/queue/replication/job_rows.h"

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/job_members.h"

namespace priorityd::queue {
namespace {

using Columns = storage::ColumnTable<JobRow>;
using priority::PairPriority;

constexpr std::pair<priority::JobState, const char*> kStates[] = {
    {priority::JobState::kPending, "PENDING"},
    {priority::JobState::kRunning, "RUNNING"},
    {priority::JobState::kSuspended, "SUSPENDED"},
};
constexpr std::pair<JobEnd, const char*> kEnds[] = {
    {JobEnd::kNone, ""},
    {JobEnd::kCompleted, "COMPLETED"},
    {JobEnd::kFailed, "FAILED"},
    {JobEnd::kTimeout, "TIMEOUT"},
    {JobEnd::kCancelled, "CANCELLED"},
    {JobEnd::kPreempted, "PREEMPTED"},
    {JobEnd::kNodeFail, "NODE_FAIL"},
};
constexpr std::pair<priority::Hold, const char*> kHolds[] = {
    {priority::Hold::kNone, ""},
    {priority::Hold::kUser, "USER"},
    {priority::Hold::kAdmin, "ADMIN"},
};

const auto& WordsOf(priority::JobState) { return kStates; }
const auto& WordsOf(JobEnd) { return kEnds; }
const auto& WordsOf(priority::Hold) { return kHolds; }

// A member as the value of its column ...

template <typename Value>
requires std::is_arithmetic_v<Value>
auto ToColumn(Value value) {
  if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, double>) {
    return value;
  } else {
    return static_cast<int64_t>(value);
  }
}
absl::Time ToColumn(absl::Time time) { return time; }
int64_t ToColumn(absl::Duration length) { return absl::ToInt64Microseconds(length); }
std::string ToColumn(absl::string_view text) { return std::string(text); }
std::vector<std::string> ToColumn(const JobNames& names) { return {names.begin(), names.end()}; }
template <typename Enum>
requires std::is_enum_v<Enum> std::string ToColumn(Enum value) {
  for (const auto& [known, word] : WordsOf(value)) {
    if (known == value) return word;
  }
  return WordsOf(value)[0].second;
}
template <typename Value>
auto ToColumn(const std::optional<Value>& value) {
  return value.has_value() ? std::optional(ToColumn(*value)) : std::nullopt;
}

// ... and back. `row` keeps the texts.

template <typename Column, typename Value>
requires std::is_arithmetic_v<Value>
void FromColumn(Column column, JobRow&, Value* value) { *value = static_cast<Value>(column); }
void FromColumn(absl::Time time, JobRow&, absl::Time* value) { *value = time; }
void FromColumn(int64_t us, JobRow&, absl::Duration* value) { *value = absl::Microseconds(us); }
void FromColumn(std::string text, JobRow& row, absl::string_view* value) {
  *value = text.empty() ? absl::string_view() : row.texts.emplace_front(std::move(text));
}
void FromColumn(std::vector<std::string> texts, JobRow& row, JobNames* names) {
  for (std::string& text : texts) FromColumn(std::move(text), row, &names->emplace_back());
}
template <typename Enum>
requires std::is_enum_v<Enum>
void FromColumn(const std::string& text, JobRow&, Enum* value) {
  for (const auto& [known, word] : WordsOf(*value)) {
    if (text == word) *value = known;
  }
}
template <typename Column, typename Value>
void FromColumn(const std::optional<Column>& column, JobRow& row, std::optional<Value>* value) {
  if (column.has_value()) FromColumn(*column, row, &value->emplace());
}

// The column of a member.
template <typename Member>
struct ColumnOf {
  static auto Get(const JobRow& row) { return ToColumn(Member::Of(row.job)); }
  static void Read(storage::RowReader& reader, JobRow& row) {
    decltype(Get(row)) column{};
    reader.Read(&column);
    FromColumn(std::move(column), row, &Member::Of(row.job));
  }
};

// One of the columns of a list: an array of a part of each element. The first sets the length.
template <typename Member, auto kPart, bool kIsFirst = false>
struct ColumnOfPart {
  static auto Get(const JobRow& row) {
    const auto& list = Member::Of(row.job);
    std::vector<decltype(Stored(list[0].*kPart))> column;
    column.reserve(list.size());
    for (const auto& element : list) column.push_back(Stored(element.*kPart));
    return column;
  }
  static void Read(storage::RowReader& reader, JobRow& row) {
    decltype(Get(row)) column;
    reader.Read(&column);
    auto& list = Member::Of(row.job);
    if (kIsFirst) list.resize(column.size());
    if (list.size() != column.size()) return reader.Fail();
    for (size_t i = 0; i < list.size(); ++i) FromColumn(column[i], row, &(list[i].*kPart));
  }

 private:
  static std::string Stored(absl::string_view text) { return std::string(text); }
  static double Stored(double number) { return number; }
};

template <typename Member>
void AddColumns(const Member& member, std::vector<Columns::Field>* columns) {
  using storage::ColumnUse;
  using Value = std::decay_t<decltype(Member::Of(std::declval<TrackedJob&>()))>;
  const auto add = [&]<typename Access>(Access, const char* name) {
    const bool is_key = member.field == "job_id";
    columns->push_back(Columns::Make<Access>(name, is_key ? ColumnUse::kKey : ColumnUse::kValue));
  };
  if constexpr (std::is_same_v<Value, JobTres>) {
    add(ColumnOfPart<Member, &JobTres::value_type::first, true>(), member.column);
    add(ColumnOfPart<Member, &JobTres::value_type::second>(), "tres_counts");
  } else if constexpr (std::is_same_v<Value, JobPairs>) {
    add(ColumnOfPart<Member, &PairPriority::partition, true>(), member.column);
    add(ColumnOfPart<Member, &PairPriority::qos>(), "pair_qos");
    add(ColumnOfPart<Member, &PairPriority::priority>(), "pair_priorities");
  } else if (member.column != nullptr) {
    add(ColumnOf<Member>(), member.column);
  }
}

}  // namespace

const char* WordOf(JobEnd end) {
  return absl::c_find_if(kEnds, [end](const auto& word) { return word.first == end; })->second;
}

const storage::JobTable<JobRow>& JobRows() {
  static const auto* const rows = [] {
    std::vector<Columns::Field> columns = {Columns::ReadOnly<&JobRow::change>("change")};
    ForEachJobMember([&](const auto& member, size_t) { AddColumns(member, &columns); });
    return new storage::JobTable<JobRow>(std::move(columns));
  }();
  return *rows;
}

}  // namespace priorityd::queue
