// The columns of a table: one description per row type, from which statements, their parameters and
// the decoding of rows are generated.
#ifndef STORAGE_DATABASE_COLUMN_TABLE_H_
#define STORAGE_DATABASE_COLUMN_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/amount.h"
#include "storage/database/copy_line.h"
#include "storage/database/literal.h"
#include "storage/database/parameter.h"
#include "storage/database/published.h"
#include "storage/database/row_reader.h"

namespace priorityd::storage {

// The use of a column by statements.
enum class ColumnUse {
  kKey,       // read and inserted, never changed
  kValue,     // read, inserted and changed
  kReadOnly,  // read; written by other statements than the column table's
};

// PostgreSQL's type for a type of literal.h.
constexpr const char* SqlType(const bool*) { return "boolean"; }
constexpr const char* SqlType(const int32_t*) { return "integer"; }
constexpr const char* SqlType(const int64_t*) { return "bigint"; }
constexpr const char* SqlType(const double*) { return "double precision"; }
constexpr const char* SqlType(const std::string*) { return "text"; }
constexpr const char* SqlType(const absl::Time*) { return "timestamptz"; }
constexpr const char* SqlType(const absl::Duration*) { return "bigint"; }
constexpr const char* SqlType(const std::vector<int32_t>*) { return "integer[]"; }
constexpr const char* SqlType(const std::vector<double>*) { return "double precision[]"; }
constexpr const char* SqlType(const std::vector<std::string>*) { return "text[]"; }
template <typename T>
constexpr const char* SqlType(const std::optional<T>*) {
  return SqlType(static_cast<const T*>(nullptr));
}

// The names and types of a table's columns, and the parts of statements generated from them. Parts
// are in the order of the columns; "written" columns are all but kReadOnly ones.
class TableColumns {
 public:
  struct Column {
    const char* name;
    const char* type;  // PostgreSQL's
    ColumnUse use;
  };

  // `table`: its name in the schema priorityd. `others`: its columns without a field in the row
  // type.
  TableColumns(const char* table, std::vector<const char*> others, std::vector<Column> columns)
      : table_(table), others_(std::move(others)), columns_(std::move(columns)) {}

  // In the order of Selected().
  const std::vector<Column>& columns() const { return columns_; }

  // priorityd.job; see published.h for the editions.
  std::string Table(Edition edition = Edition::kCurrent) const;

  // a, b, c; each after `prefix`, such as "u."
  std::string Selected(absl::string_view prefix = "") const;

  // a, b; `first` comes before them, such as "cluster_id, "
  std::string Written(absl::string_view first = "") const;
  // The same for COPY.
  std::vector<std::string> WrittenNames(std::vector<std::string> first = {}) const;

  // unnest($3::bigint[], $4::text[]) AS given (a, b): the arrays of ColumnTable::Parameters,
  // beginning with parameter `first`.
  std::string Given(int first) const;
  // The same with a last column `place`: the number of the row, from 1.
  std::string GivenWithPlace(int first) const;
  // $3::bigint, $4::text[]: the values of ColumnTable::ParametersOf, beginning with parameter
  // `first`.
  std::string OneGiven(int first) const;
  // given.a, given.b::text[]: unnest flattens all dimensions of an array, so that nested arrays are
  // passed as text.
  std::string GivenValues() const;

  // a = given.a, of kValue's columns.
  std::string AssignGiven() const;
  // a = excluded.a, the same for ON CONFLICT DO UPDATE.
  std::string AssignExcluded() const;

  // Every column of the table, `others` first.
  std::vector<std::string> All() const;

 private:
  std::string GivenAs(int first, absl::string_view ordinality, absl::string_view place) const;

  const char* table_;
  std::vector<const char*> others_;
  std::vector<Column> columns_;
};

// The two columns of a list of amounts or settings.
template <typename Element>
struct ListColumns;
template <>
struct ListColumns<NamedAmount> {
  static constexpr auto kFirst = &NamedAmount::name;
  static constexpr auto kSecond = &NamedAmount::amount;
};
template <>
struct ListColumns<TresAmount> {
  static constexpr auto kFirst = &TresAmount::tres_id;
  static constexpr auto kSecond = &TresAmount::amount;
};
template <>
struct ListColumns<KeyValue> {
  static constexpr auto kFirst = &KeyValue::key;
  static constexpr auto kSecond = &KeyValue::value;
};

// Maps the columns of a table to the fields of `Row`. A field is named by its path of members:
// Value<&UsageRecord::submitted, &SubmittedUsage::qos>("qos").
template <typename Row>
class ColumnTable : public TableColumns {
 public:
  struct Field {
    Column column;
    void (*add_to_array)(const Row&, ArrayLiteral&);
    void (*add_to_line)(const Row&, CopyLine&);
    Parameter (*parameter)(const Row&);
    void (*read)(RowReader&, Row&);
  };

  ColumnTable(const char* table, std::vector<const char*> others, std::vector<Field> fields)
      : TableColumns(table, std::move(others), ColumnsOf(fields)), fields_(std::move(fields)) {}

  template <auto... kPath>
  static Field Key(const char* name) {
    return Make<Member<kPath...>>(name, ColumnUse::kKey);
  }
  template <auto... kPath>
  static Field Value(const char* name) {
    return Make<Member<kPath...>>(name, ColumnUse::kValue);
  }
  template <auto... kPath>
  static Field ReadOnly(const char* name) {
    return Make<Member<kPath...>>(name, ColumnUse::kReadOnly);
  }
  // The two columns of a list; the second one comes later than the first.
  template <auto... kPath>
  static Field ListFirst(const char* name) {
    return Make<First<kPath...>>(name, ColumnUse::kValue);
  }
  template <auto... kPath>
  static Field ListSecond(const char* name) {
    return Make<Second<kPath...>>(name, ColumnUse::kValue);
  }

  // A column whose value is no member: Access::Get(row) returns it, in a type of literal.h, and
  // Access::Read(reader, row) reads it.
  template <typename Access>
  static Field Make(const char* name, ColumnUse use) {
    using T = std::decay_t<decltype(Access::Get(std::declval<const Row&>()))>;
    return {{name, SqlType(static_cast<const T*>(nullptr)), use},
            [](const Row& row, ArrayLiteral& array) { array.Add(Access::Get(row)); },
            [](const Row& row, CopyLine& line) { line.Add(Access::Get(row)); },
            [](const Row& row) { return Parameter(Access::Get(row)); },
            &Access::Read};
  }

  // `first`, then one array for each written column.
  std::vector<Parameter> Parameters(absl::Span<const Row> rows,
                                    std::vector<Parameter> first = {}) const {
    for (const Field& field : fields_) {
      if (field.column.use == ColumnUse::kReadOnly) continue;
      ArrayLiteral array;
      for (const Row& row : rows) field.add_to_array(row, array);
      first.push_back(Parameter(std::move(array)));
    }
    return first;
  }

  // `first`, then the value of each written column: for one row, much faster on the server than
  // arrays.
  std::vector<Parameter> ParametersOf(const Row& row, std::vector<Parameter> first = {}) const {
    for (const Field& field : fields_) {
      if (field.column.use != ColumnUse::kReadOnly) first.push_back(field.parameter(row));
    }
    return first;
  }

  // Adds the written columns.
  void AddTo(CopyLine& line, const Row& row) const {
    for (const Field& field : fields_) {
      if (field.column.use != ColumnUse::kReadOnly) field.add_to_line(row, line);
    }
  }

  // Reads the columns of Selected().
  Row Decode(RowReader& reader) const {
    Row row;
    for (const Field& field : fields_) field.read(reader, row);
    return row;
  }

 private:
  template <auto... kPath>
  struct Member {
    static const auto& Get(const Row& row) { return (row.*....*kPath); }
    static void Read(RowReader& reader, Row& row) { reader.Read(&(row.*....*kPath)); }
  };

  // One column of a list.
  template <bool kIsFirst, auto... kPath>
  struct Half {
    static const auto& List(const Row& row) { return (row.*....*kPath); }
    using Element = typename std::decay_t<decltype(List(std::declval<const Row&>()))>::value_type;
    static constexpr auto Of() {
      if constexpr (kIsFirst) {
        return ListColumns<Element>::kFirst;
      } else {
        return ListColumns<Element>::kSecond;
      }
    }
    static auto Get(const Row& row) {
      std::vector<std::decay_t<decltype(std::declval<Element>().*Of())>> column;
      column.reserve(List(row).size());
      for (const Element& element : List(row)) column.push_back(element.*Of());
      return column;
    }
    static void Read(RowReader& reader, Row& row) {
      decltype(Get(row)) column;
      reader.Read(&column);
      auto& list = (row.*....*kPath);
      if (kIsFirst) list.resize(column.size());
      if (list.size() != column.size()) return reader.Fail();
      for (size_t i = 0; i < list.size(); ++i) list[i].*Of() = std::move(column[i]);
    }
  };
  template <auto... kPath>
  using First = Half<true, kPath...>;
  template <auto... kPath>
  using Second = Half<false, kPath...>;

  static std::vector<Column> ColumnsOf(const std::vector<Field>& fields) {
    std::vector<Column> columns;
    columns.reserve(fields.size());
    for (const Field& field : fields) columns.push_back(field.column);
    return columns;
  }

  std::vector<Field> fields_;
};

// A row of Selected(), as Transaction::Query decodes it. `kColumns`: a function that returns the
// table's columns.
template <auto kColumns>
auto DecodeTableRow(RowReader& reader) {
  return kColumns().Decode(reader);
}

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_COLUMN_TABLE_H_
