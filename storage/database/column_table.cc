#include "storage/database/column_table.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

using Columns = std::vector<TableColumns::Column>;

bool IsWritten(const TableColumns::Column& column) { return column.use != ColumnUse::kReadOnly; }
bool IsAssigned(const TableColumns::Column& column) { return column.use == ColumnUse::kValue; }
bool IsArray(const TableColumns::Column& column) { return absl::EndsWith(column.type, "[]"); }

std::string GivenValue(const TableColumns::Column& column) {
  return IsArray(column) ? absl::StrCat("given.", column.name, "::", column.type)
                         : absl::StrCat("given.", column.name);
}

// The columns of which `filter` holds, each as `part` writes it, after `first`.
template <typename Filter, typename Part>
std::string JoinColumns(const Columns& columns, Filter filter, Part part, std::string first = "") {
  absl::string_view separator = "";
  for (const TableColumns::Column& column : columns) {
    if (!filter(column)) continue;
    absl::StrAppend(&first, separator, part(column));
    separator = ", ";
  }
  return first;
}

std::string Name(const TableColumns::Column& column) { return column.name; }

}  // namespace

std::string TableColumns::Table(Edition edition) const {
  return absl::StrCat("priorityd.", edition == Edition::kPublished ? "published_" : "", table_);
}

std::string TableColumns::Selected(absl::string_view prefix) const {
  const auto all = [](const Column&) { return true; };
  return JoinColumns(columns_, all,
                     [prefix](const Column& column) { return absl::StrCat(prefix, column.name); });
}

std::string TableColumns::Written(absl::string_view first) const {
  return JoinColumns(columns_, IsWritten, Name, std::string(first));
}

std::vector<std::string> TableColumns::WrittenNames(std::vector<std::string> first) const {
  for (const Column& column : columns_) {
    if (IsWritten(column)) first.push_back(column.name);
  }
  return first;
}

std::string TableColumns::Given(int first) const { return GivenAs(first, "", ""); }

std::string TableColumns::GivenWithPlace(int first) const {
  return GivenAs(first, " WITH ORDINALITY", ", place");
}

std::string TableColumns::OneGiven(int first) const {
  return JoinColumns(columns_, IsWritten, [&first](const Column& column) {
    return absl::StrCat("$", first++, "::", column.type);
  });
}

std::string TableColumns::GivenAs(int first, absl::string_view ordinality,
                                  absl::string_view place) const {
  const auto parameter = [&first](const Column& column) {
    return absl::StrCat("$", first++, "::", IsArray(column) ? "text" : column.type, "[]");
  };
  return absl::StrCat("unnest(", JoinColumns(columns_, IsWritten, parameter), ")", ordinality,
                      " AS given (", Written(), place, ")");
}

std::string TableColumns::GivenValues() const {
  return JoinColumns(columns_, IsWritten, GivenValue);
}

std::string TableColumns::AssignGiven() const {
  return JoinColumns(columns_, IsAssigned, [](const Column& column) {
    return absl::StrCat(column.name, " = ", GivenValue(column));
  });
}

std::string TableColumns::AssignExcluded() const {
  return JoinColumns(columns_, IsAssigned, [](const Column& column) {
    return absl::StrCat(column.name, " = excluded.", column.name);
  });
}

std::vector<std::string> TableColumns::All() const {
  std::vector<std::string> names(others_.begin(), others_.end());
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

}  // namespace priorityd::storage
