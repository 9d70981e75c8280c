// The machine-readable output of squeue and sacct: tables divided by `|` under a heading, or
// --json.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_SLURM_ROWS_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_SLURM_ROWS_H_

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::tables {

// The text of a number of JSON that is infinite.
inline constexpr absl::string_view kUnlimitedText = "UNLIMITED";

// A row of a table, or one job of a JSON document. The name of a member of an object is its
// path: `time.start`. Names of columns have a capital letter, as in headings, names of JSON have
// none: each is looked up only in its own form, because `nodes` of JSON are a list of hosts.
class SlurmRow {
 public:
  // `place`: its name in errors, such as `squeue.txt line 3`.
  SlurmRow(std::string place, std::map<std::string, std::string> texts)
      : place_(std::move(place)), texts_(std::move(texts)) {}
  SlurmRow(std::string place, const google::protobuf::Struct& object);

  // A text under the name of a column, also of a JSON document.
  void Add(const std::string& name, std::string text);

  // Whether the column exists, also if it is empty; always true for JSON.
  bool HasColumn(std::initializer_list<absl::string_view> names) const;

  const std::string& place() const { return place_; }

  // The first nonempty one of these columns, in upper or lower case; empty = none: blank, N/A, n/a,
  // (null), None, None assigned and Unknown count as empty.
  std::string Text(std::initializer_list<absl::string_view> names) const;

  // The same of a name, which may be `none` or `unknown`: only blank, N/A and (null) count as
  // empty.
  std::string Name(std::initializer_list<absl::string_view> names) const;

  // A number, also with a unit (1.50K) or the least of a range (2-4); nullopt = none.
  // INVALID_ARGUMENT names the place.
  absl::StatusOr<std::optional<double>> Number(
      std::initializer_list<absl::string_view> names) const;

  // The same; 0 = none.
  absl::StatusOr<double> NumberOrZero(std::initializer_list<absl::string_view> names) const;

  // `cpu=2,mem=4G`, as ReadTresText; INVALID_ARGUMENT names the place.
  absl::StatusOr<std::map<std::string, double>> Tres(
      std::initializer_list<absl::string_view> names) const;

  // A time in `zone`, or in seconds since 1970; nullopt = none. INVALID_ARGUMENT names the
  // place.
  absl::StatusOr<std::optional<absl::Time>> Moment(std::initializer_list<absl::string_view> names,
                                                   absl::TimeZone zone) const;

  // `got "x" as STATE, want a state of a job`, with the place before it.
  absl::Status Violation(absl::string_view what, absl::string_view got,
                         absl::string_view want) const;

 private:
  void AddObject(const std::string& path, const google::protobuf::Struct& object);
  void AddValue(const std::string& path, const google::protobuf::Value& value);

  std::string place_;
  bool is_json_ = false;
  std::map<std::string, std::string> texts_;  // by name in lower case, of JSON with a dot before it
};

// Counts the missing and the unusable values of a file by kind.
class TableLosses {
 public:
  void Add(const std::string& what, const std::string& place);

  // `no column MIN_MEMORY ...: 3 rows, the first queue.txt line 2`
  std::vector<std::string> Lines() const;

 private:
  struct Loss {
    int64_t rows = 0;
    std::string first;
  };
  std::map<std::string, Loss> losses_;
};

// Without its fraction; at most 1e18 in magnitude.
int64_t Whole(double number);

// The text of a column that --json has in another form.
using JsonColumn = std::pair<std::string, std::string (*)(const google::protobuf::Struct& job)>;

// The rows of a file. A cell of a table that is not UTF-8 is read as Latin-1. INVALID_ARGUMENT
// names a missing column: a heading must have all `wanted`, of `A/B` one of the two.
absl::StatusOr<std::vector<SlurmRow>> ReadSlurmRows(
    const std::string& name, absl::string_view content, const std::vector<std::string>& wanted,
    const std::vector<JsonColumn>& json_columns = {});

// `cpu=2,mem=62.50G,node=1,billing=2`: counts by name, mem in MB. INVALID_ARGUMENT `got "x", want
// y` for any other text, for a name that is there twice, and for amounts below 0 unless they are
// `signed_amounts`.
absl::StatusOr<std::map<std::string, double>> ReadTresText(absl::string_view text,
                                                           bool signed_amounts = false);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SLURM_ROWS_H_
