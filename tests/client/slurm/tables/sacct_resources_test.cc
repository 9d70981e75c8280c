#include "client/slurm/tables/sacct_resources.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/slurm/tables/sacct_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kCases[] = "tests/testdata/sacct_resources.txt";

struct Case {
  std::string columns, row, want;
};

// The Python reader's test reads the same.
std::vector<Case> Cases() {
  std::ifstream file(kCases);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  std::vector<Case> cases;
  for (size_t i = 0; i + 2 < lines.size(); i += 3) {
    cases.push_back({lines[i], lines[i + 1], lines[i + 2]});
  }
  return cases;
}

absl::StatusOr<SacctRecords> Read(const Case& one) {
  return ReadSacctRecords(
      "s.txt",
      absl::StrCat("JobIDRaw|User|Account|Start|End|", one.columns, "\n7|a|a|100|200|", one.row),
      "sacct", absl::UTCTimeZone());
}

// With billing under its name.
std::map<std::string, double> ResourcesOf(const v1::UsageRecord& record) {
  std::map<std::string, double> resources(record.tres().begin(), record.tres().end());
  if (record.has_billing()) resources["billing"] = record.billing();
  return resources;
}

bool Has(const std::vector<std::string>& losses, const std::string& what) {
  return testing::Value(losses, testing::Contains(HasSubstr(what)));
}

TEST(SacctResourcesTest, EveryColumnThatHasResourcesIsRead) {
  const std::vector<Case> cases = Cases();
  ASSERT_GT(cases.size(), 20u);
  for (const Case& one : cases) {
    SCOPED_TRACE(absl::StrCat(one.columns, "\n", one.row));
    const auto read = Read(one);
    if (one.want == "error") {
      EXPECT_THAT(std::string(read.status().message()), HasSubstr("s.txt line 2: "));
      continue;
    }
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(Has(read->losses, "without a size"), one.want == "lost");
    ASSERT_THAT(read->records, SizeIs(one.want == "lost" ? 0 : 1));
    EXPECT_EQ(read->places.size(), read->records.size());
    if (one.want == "lost") continue;
    absl::string_view want = one.want;
    EXPECT_EQ(absl::ConsumeSuffix(&want, "+"), Has(read->losses, "GPUs are not charged"));
    EXPECT_EQ(ResourcesOf(read->records[0]), *ReadTresText(want));
  }
}

TEST(SacctResourcesTest, AMissingAllocTresIsALossOfWhatNoOtherColumnHas) {
  EXPECT_TRUE(Has(Read({"NCPUS", "1", ""})->losses, "neither memory nor GPUs nor billing"));
  EXPECT_TRUE(Has(Read({"NCPUS|AllocGRES", "1|", ""})->losses, "neither memory nor billing"));
}

TEST(SacctResourcesTest, AnErrorNamesTheColumn) {
  EXPECT_EQ(Read({"NCPUS|AllocGRES", "1|gpu:x:y:2", ""}).status().message(),
            "s.txt line 2: AllocGRES: got \"gpu:x:y:2\", want NAME:COUNT or NAME:TYPE:COUNT");
  EXPECT_EQ(Read({"NCPUS|NNodes|ReqGRES", "1|1|gpu:a:", ""}).status().message(),
            "s.txt line 2: ReqGRES: got \"gpu:a:\", want NAME:COUNT or NAME:TYPE:COUNT");
}

}  // namespace
}  // namespace priorityd::tables
