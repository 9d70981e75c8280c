#include "storage/database/column_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/configuration/association_store.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/grants/budget_event_store.h"
#include "storage/grants/price_book_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/running_job_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/snapshot_store.h"
#include "tests/storage/store_test.h"
#include "tests/storage/stored_columns.h"

namespace priorityd::storage {
namespace {

struct Animal {
  int64_t id = 0;
  std::string name;
  std::vector<std::string> colours;
  std::optional<double> weight;
  std::vector<KeyValue> notes;
  std::optional<absl::Time> died_at;
  bool operator==(const Animal&) const = default;
};

const ColumnTable<Animal>& AnimalColumns() {
  using C = ColumnTable<Animal>;
  static const auto* const columns = new C(
      "animal", {"zoo_id"},
      {C::Key<&Animal::id>("id"), C::Value<&Animal::name>("name"),
       C::Value<&Animal::colours>("colours"), C::Value<&Animal::weight>("weight"),
       C::ListFirst<&Animal::notes>("note_keys"), C::ListSecond<&Animal::notes>("note_values"),
       C::ReadOnly<&Animal::died_at>("died_at")});
  return *columns;
}

Animal DecodeAnimal(RowReader& row) { return AnimalColumns().Decode(row); }

TEST(TableColumnsTest, EveryColumnIsSelected) {
  EXPECT_EQ(AnimalColumns().Selected("a."),
            "a.id, a.name, a.colours, a.weight, a.note_keys, a.note_values, a.died_at");
}

TEST(TableColumnsTest, AReadOnlyColumnIsNotWritten) {
  EXPECT_EQ(AnimalColumns().Written("zoo_id, "),
            "zoo_id, id, name, colours, weight, note_keys, note_values");
  EXPECT_EQ(AnimalColumns().WrittenNames({"zoo_id"}),
            (std::vector<std::string>{"zoo_id", "id", "name", "colours", "weight", "note_keys",
                                      "note_values"}));
}

TEST(TableColumnsTest, ArraysWithinArraysAreGivenAsText) {
  EXPECT_EQ(AnimalColumns().GivenWithPlace(3),
            "unnest($3::bigint[], $4::text[], $5::text[], $6::double precision[], $7::text[], "
            "$8::text[]) WITH ORDINALITY AS given (id, name, colours, weight, note_keys, "
            "note_values, place)");
  EXPECT_EQ(AnimalColumns().GivenValues(),
            "given.id, given.name, given.colours::text[], given.weight, given.note_keys::text[], "
            "given.note_values::text[]");
}

TEST(TableColumnsTest, OneRowIsGivenByPlainValues) {
  EXPECT_EQ(AnimalColumns().OneGiven(3),
            "$3::bigint, $4::text, $5::text[], $6::double precision, $7::text[], $8::text[]");
}

TEST(TableColumnsTest, AKeyIsNotAssigned) {
  EXPECT_EQ(AnimalColumns().AssignGiven(),
            "name = given.name, colours = given.colours::text[], weight = given.weight, "
            "note_keys = given.note_keys::text[], note_values = given.note_values::text[]");
  EXPECT_EQ(AnimalColumns().AssignExcluded(),
            "name = excluded.name, colours = excluded.colours, weight = excluded.weight, "
            "note_keys = excluded.note_keys, note_values = excluded.note_values");
}

TEST(TableColumnsTest, ThePublishedEditionHasATableOfItsOwn) {
  EXPECT_EQ(AnimalColumns().Table(), "priorityd.animal");
  EXPECT_EQ(AnimalColumns().Table(Edition::kPublished), "priorityd.published_animal");
}

class ColumnTableTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([](Transaction& t) {
      return t.ExecuteScript(
          "CREATE TABLE priorityd.animal (zoo_id integer NOT NULL, id bigint PRIMARY KEY, "
          "name text NOT NULL, colours text[] NOT NULL, weight double precision, "
          "note_keys text[] NOT NULL, note_values text[] NOT NULL, died_at timestamptz)");
    }));
  }

  std::vector<Animal> Animals() {
    const std::string list =
        "SELECT " + AnimalColumns().Selected() + " FROM priorityd.animal ORDER BY id";
    return Read([&](Transaction& t) { return t.Query(DecodeAnimal, list); }).value();
  }

  const std::vector<Animal> animals_ = {
      {.id = 1, .name = "Zo\xc3\xab", .colours = AwkwardTexts(), .weight = 1.0 / 3},
      {.id = 2, .notes = {{"a b", "NULL"}, {"", "\\"}}}};
};

TEST_F(ColumnTableTest, RowsGivenAsArraysAreReadBack) {
  const ColumnTable<Animal>& columns = AnimalColumns();
  const std::string insert = "INSERT INTO priorityd.animal (" + columns.Written("zoo_id, ") +
                             ") SELECT $1::integer, " + columns.GivenValues() + " FROM " +
                             columns.Given(2);
  ASSERT_OK(
      Write([&](Transaction& t) { return t.Execute(insert, columns.Parameters(animals_, {7})); }));
  EXPECT_EQ(Animals(), animals_);
}

TEST_F(ColumnTableTest, ARowGivenByPlainValuesIsReadBack) {
  const ColumnTable<Animal>& columns = AnimalColumns();
  const std::string insert = "INSERT INTO priorityd.animal (" + columns.Written("zoo_id, ") +
                             ") SELECT $1::integer, " + columns.OneGiven(2);
  for (const Animal& animal : animals_) {
    ASSERT_OK(Write(
        [&](Transaction& t) { return t.Execute(insert, columns.ParametersOf(animal, {7})); }));
  }
  EXPECT_EQ(Animals(), animals_);
}

TEST_F(ColumnTableTest, RowsWrittenByCopyAreReadBack) {
  ASSERT_OK(Write([&](Transaction& t) {
    return t.Copy("priorityd.animal", AnimalColumns().WrittenNames({"zoo_id"}), animals_.size(),
                  [&](size_t i) {
                    CopyLine line;
                    line.Add(7);
                    AnimalColumns().AddTo(line, animals_[i]);
                    return line;
                  });
  }));
  EXPECT_EQ(Animals(), animals_);
}

TEST_F(ColumnTableTest, ListsOfTwoLengthsCannotBeRead) {
  ASSERT_OK(Write([](Transaction& t) {
    return t.Execute("INSERT INTO priorityd.animal VALUES (7, 1, '', '{}', NULL, '{a}', '{}')");
  }));
  const std::string list = "SELECT " + AnimalColumns().Selected() + " FROM priorityd.animal";
  EXPECT_EQ(
      database_.Read([&](Transaction& t) { return t.Query(DecodeAnimal, list); }).status().code(),
      absl::StatusCode::kInternal);
}

std::vector<const TableColumns*> Tables() {
  return {&AssociationColumns(),
          &AssociationFactorColumns(),
          &AuditEventColumns(),
          &BudgetEventColumns(),
          &BudgetReportedColumns(),
          &ClusterColumns(),
          &ClusterUserColumns(),
          &HalfLifeColumns(),
          &OpeningUsageColumns(),
          &PartitionColumns(),
          &PolicyVersionColumns(),
          &QosColumns(),
          &RunningJobColumns(),
          &SnapshotQosUsageColumns(),
          &UsageColumns(UsageOf::kAssociation),
          &UsageColumns(UsageOf::kQos),
          &UsageRecordColumns(),
          &UserMergeColumns(),
          &PriceBookColumns()};
}

TEST_F(StoredColumnsTest, AColumnTableHasTheColumnsOfItsTable) {
  for (const TableColumns* columns : Tables()) ExpectColumns(*columns);
}

TEST_F(StoredColumnsTest, APublishedTableHasTheColumnsOfTheOneItCopies) {
  for (const TableColumns* columns : std::vector<const TableColumns*>{
           &AssociationColumns(), &ClusterColumns(), &ClusterUserColumns(), &HalfLifeColumns(),
           &PartitionColumns(), &QosColumns(), &UserMergeColumns()}) {
    EXPECT_EQ(NamesOf(columns->Table(Edition::kPublished)), NamesOf(columns->Table()));
  }
}

TEST_F(StoredColumnsTest, TheViewOfWhatCountsHasTheColumnsOfTheLedger) {
  EXPECT_EQ(NamesOf("priorityd.counted_usage"), NamesOf("priorityd.usage_record"));
}

}  // namespace
}  // namespace priorityd::storage
