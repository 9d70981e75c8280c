#include "server/usage/ledger_decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace priorityd::usage {
namespace {

using enum Outcome;
using UsageRecords = std::vector<storage::UsageRecord>;
using Held = std::vector<storage::HeldRecord>;
using Outcomes = std::vector<Outcome>;

const absl::Time kDecidedJobStart = absl::FromUnixSeconds(1'700'000'000);
const absl::Time kRecordEnd = kDecidedJobStart + absl::Seconds(60);
const absl::Time kNever = absl::InfinitePast();

storage::UsageRecord Record(const std::string& record_id, const std::string& replaces = "") {
  storage::UsageRecord record;
  record.submitted.source = "collector";
  record.submitted.record_id = record_id;
  record.submitted.replaces_record_id = replaces;
  record.submitted.start_time = kDecidedJobStart;
  record.submitted.end_time = kRecordEnd;
  record.submitted.tres = {{1, 4}, {2, 1024}};
  record.association_id = 1;
  return record;
}

storage::UsageRecord Changed(storage::UsageRecord record,
                             const std::function<void(storage::SubmittedUsage&)>& change) {
  change(record.submitted);
  return record;
}

storage::UsageRecord Elsewhere(const std::string& record_id) {
  return Changed(Record(record_id), [](auto& usage) { usage.source = "another"; });
}

storage::UsageRecord OtherContent(const std::string& record_id) {
  return Changed(Record(record_id), [](auto& usage) { usage.job_id = "x"; });
}

storage::UsageRecord Unpriced(storage::UsageRecord record) {
  record.association_id = 0;
  return record;
}

// The ids of records, in order.
std::vector<std::string> Ids(const Records& records) {
  std::vector<std::string> ids;
  for (const storage::UsageRecord* record : records) ids.push_back(record->submitted.record_id);
  return ids;
}

struct DecisionCase {
  std::string name;
  Held held;
  UsageRecords batch;
  absl::Time horizon;
  Outcomes outcomes;
  std::vector<std::string> inserted;
  std::vector<std::string> counted;
  std::vector<std::string> replaced;
};

class LedgerDecisionTest : public ::testing::TestWithParam<DecisionCase> {};

TEST_P(LedgerDecisionTest, IsWhatTheTableSays) {
  const DecisionCase& want = GetParam();
  const LedgerDecision got = Decide(want.held, PointersTo(want.batch), want.horizon);
  EXPECT_EQ(got.outcomes, want.outcomes);
  EXPECT_EQ(Ids(got.inserted), want.inserted);
  EXPECT_EQ(Ids(got.counted), want.counted);
  EXPECT_EQ(Ids(got.replaced), want.replaced);
}

INSTANTIATE_TEST_SUITE_P(
    Outcomes, LedgerDecisionTest,
    ::testing::Values(DecisionCase{"NothingToDecide", {{Record("a")}}, {}, kNever, {}, {}, {}, {}},
                      DecisionCase{"WhatIsNotHeldIsNew",
                                   {},
                                   {Record("b"), Record("a")},
                                   kNever,
                                   {kNew, kNew},
                                   {"b", "a"},
                                   {"b", "a"},
                                   {}},
                      DecisionCase{"WhatIsHeldIsADuplicateAndChangesNothing",
                                   {{Record("a")}, {Record("b")}},
                                   {Record("b"), Record("c"), Record("a")},
                                   kNever,
                                   {kDuplicate, kNew, kDuplicate},
                                   {"c"},
                                   {"c"},
                                   {}},
                      DecisionCase{"OneIdOfTwoSourcesIsTwoRecords",
                                   {{Elsewhere("a")}},
                                   {Record("a"), Elsewhere("a")},
                                   kNever,
                                   {kNew, kDuplicate},
                                   {"a"},
                                   {"a"},
                                   {}},
                      DecisionCase{"WithinABatchTheFirstOfAnIdCounts",
                                   {},
                                   {Record("a"), OtherContent("a"), Record("a")},
                                   kNever,
                                   {kNew, kConflict, kDuplicate},
                                   {"a"},
                                   {"a"},
                                   {}},
                      DecisionCase{"WithinABatchEachIsComparedWithTheLedger",
                                   {{Record("a")}},
                                   {OtherContent("a"), Record("a"), OtherContent("a")},
                                   kNever,
                                   {kConflict, kDuplicate, kConflict},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"WithoutAnAssociationItIsOnlyLookedUp",
                                   {{Record("a")}},
                                   {Unpriced(Record("a")), Unpriced(OtherContent("a")),
                                    Unpriced(Record("b"))},
                                   kNever,
                                   {kDuplicate, kConflict, kUnpriced},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"ACorrectionTakesOutWhatItReplaces",
                                   {{Record("a")}},
                                   {Record("b", "a")},
                                   kNever,
                                   {kNew},
                                   {"b"},
                                   {"b"},
                                   {"a"}},
                      DecisionCase{"ACorrectionSentAgainIsADuplicate",
                                   {{Record("a"), true}, {Record("b", "a")}},
                                   {Record("b", "a")},
                                   kNever,
                                   {kDuplicate},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"WhatIsReplacedInItsOwnBatchCountsAtNoTime",
                                   {},
                                   {Record("a"), Record("b", "a")},
                                   kNever,
                                   {kNew, kNew},
                                   {"a", "b"},
                                   {"b"},
                                   {}},
                      DecisionCase{"ACorrectionOfNothingIsUnknown",
                                   {{Elsewhere("a")}},
                                   {Record("c", "a"), Record("b", "b"), Record("b", "b")},
                                   kNever,
                                   {kUnknownTarget, kUnknownTarget, kUnknownTarget},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"WhatComesLaterInTheBatchIsNotYetThere",
                                   {},
                                   {Record("b", "a"), Record("a")},
                                   kNever,
                                   {kUnknownTarget, kNew},
                                   {"a"},
                                   {"a"},
                                   {}},
                      DecisionCase{"ARejectedRecordIsNoTarget",
                                   {},
                                   {Unpriced(Record("a")), Record("b", "a")},
                                   kNever,
                                   {kUnpriced, kUnknownTarget},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"ARecordIsReplacedOnce",
                                   {},
                                   {Record("a"), Record("b", "a"), Record("c", "a")},
                                   kNever,
                                   {kNew, kNew, kAlreadyReplaced},
                                   {"a", "b"},
                                   {"b"},
                                   {}},
                      DecisionCase{"CorrectionsMakeAChain",
                                   {{Record("a"), true}, {Record("b", "a")}},
                                   {Record("c", "a"), Record("d", "b"), Record("b", "a")},
                                   kNever,
                                   {kAlreadyReplaced, kNew, kDuplicate},
                                   {"d"},
                                   {"d"},
                                   {"b"}},
                      DecisionCase{"ATargetThatEndsAtTheHorizonMayBeReplaced",
                                   {{Record("a")}},
                                   {Record("b", "a")},
                                   kRecordEnd,
                                   {kNew},
                                   {"b"},
                                   {"b"},
                                   {"a"}},
                      DecisionCase{"ATargetThatEndsBeforeTheHorizonIsTooOld",
                                   {{Record("a")}},
                                   {Record("b", "a")},
                                   kRecordEnd + absl::Microseconds(1),
                                   {kTargetTooOld},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"ATargetThatIsGoneMayBeRolledUp",
                                   {},
                                   {Record("b", "a")},
                                   kDecidedJobStart + absl::Microseconds(1),
                                   {kTargetTooOld},
                                   {},
                                   {},
                                   {}},
                      DecisionCase{"ATargetOfLaterUsageIsNotRolledUp",
                                   {},
                                   {Record("b", "a")},
                                   kDecidedJobStart,
                                   {kUnknownTarget},
                                   {},
                                   {},
                                   {}}),
    [](const auto& info) { return info.param.name; });

TEST(LedgerDecisionContentTest, AnyOtherSubmittedFieldIsAConflict) {
  const std::vector<std::function<void(storage::SubmittedUsage&)>> changes = {
      [](auto& u) { u.job_id = "x"; },
      [](auto& u) { u.user_name = "x"; },
      [](auto& u) { u.account = "x"; },
      [](auto& u) { u.partition = "x"; },
      [](auto& u) { u.qos = "x"; },
      [](auto& u) { u.start_time += absl::Microseconds(1); },
      [](auto& u) { u.end_time += absl::Microseconds(1); },
      [](auto& u) { u.tres[1].amount = 1025; },
      [](auto& u) { u.tres.pop_back(); },
      [](auto& u) { u.billing = 0; },
      [](auto& u) { u.replaces_record_id = "x"; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    const UsageRecords batch = {Changed(Record("a"), changes[i])};
    EXPECT_EQ(Decide({{Record("a")}}, PointersTo(batch), kNever).outcomes, Outcomes{kConflict})
        << i;
  }
}

TEST(LedgerDecisionContentTest, AResendIsADuplicateEvenAtAnotherPrice) {
  storage::UsageRecord dearer = Record("a");
  dearer.association_id = 2;
  dearer.billing_rate = 100;
  EXPECT_EQ(Decide({{Record("a")}}, {&dearer}, kNever).outcomes, Outcomes{kDuplicate});
}

TEST(LedgerDecisionContentTest, WantedAreRecordsAndTheirTargetsEachOnce) {
  const UsageRecords batch = {Record("a"), Record("b", "a"), Record("a"), Elsewhere("a")};
  std::vector<storage::RecordKey> keys = WantedKeys(PointersTo(batch));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, (std::vector<storage::RecordKey>{
                      {"another", "a"}, {"collector", "a"}, {"collector", "b"}}));
}

TEST(LedgerDecisionContentTest, EveryOutcomeHasItsOwnAnswer) {
  const RecordResult unpriced = {RecordStatus::kRejected,
                                 Rejection{RejectionReason::kUnknownAccount, "account", "m"}};
  EXPECT_EQ(ResultOf(kNew, unpriced).status, RecordStatus::kAccepted);
  EXPECT_EQ(ResultOf(kDuplicate, unpriced).status, RecordStatus::kDuplicate);
  const auto reason = [&](Outcome outcome) {
    const RecordResult result = ResultOf(outcome, unpriced);
    EXPECT_EQ(result.status, RecordStatus::kRejected);
    return result.rejection.value().reason;
  };
  EXPECT_EQ(reason(kConflict), RejectionReason::kConflict);
  EXPECT_EQ(reason(kUnknownTarget), RejectionReason::kUnknownRecord);
  EXPECT_EQ(reason(kAlreadyReplaced), RejectionReason::kAlreadyReplaced);
  EXPECT_EQ(reason(kTargetTooOld), RejectionReason::kTooOld);
  EXPECT_EQ(reason(kUnpriced), RejectionReason::kUnknownAccount);
}

storage::UsageRecord By(std::optional<int32_t> principal, storage::UsageRecord record) {
  record.recorded_by = principal;
  return record;
}

TEST(ForeignReplacementTest, WhoRecordedARecordReplacesItAndNobodyElse) {
  const Held held = {{By(1, Record("a"))}, {By(std::nullopt, Record("old"))}};
  const UsageRecords batch = {By(2, Record("b", "a")), By(1, Record("c", "a")),
                              By(2, Record("d", "c")), By(2, Record("e", "old"))};
  const LedgerDecision got = Decide(held, PointersTo(batch), kNever);
  EXPECT_EQ(got.outcomes, (Outcomes{kOtherPrincipal, kNew, kOtherPrincipal, kNew}));
  EXPECT_EQ(Ids(got.inserted), (std::vector<std::string>{"c", "e"}));
  EXPECT_EQ(Ids(got.replaced), (std::vector<std::string>{"a", "old"}));
  ASSERT_EQ(got.by_another.size(), 2u);
  EXPECT_EQ(got.by_another[0].place, 0u);
  EXPECT_EQ(got.by_another[0].target->submitted.record_id, "a");
  EXPECT_FALSE(got.by_another[0].allowed);
  EXPECT_EQ(got.by_another[1].target->submitted.record_id, "c");
}

TEST(ForeignReplacementTest, WhereOthersReplaceItIsNotedAndDone) {
  const Held held = {{By(1, Record("a"))}};
  const UsageRecords batch = {By(2, Record("b", "a")), By(2, Record("a"))};
  const LedgerDecision got = Decide(held, PointersTo(batch), kNever, true);
  EXPECT_EQ(got.outcomes, (Outcomes{kNew, kDuplicate}));
  EXPECT_EQ(Ids(got.replaced), std::vector<std::string>{"a"});
  ASSERT_EQ(got.by_another.size(), 1u);
  EXPECT_TRUE(got.by_another[0].allowed);
}

}  // namespace
}  // namespace priorityd::usage
