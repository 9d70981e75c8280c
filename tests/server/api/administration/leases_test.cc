// Settings with an end, through the whole service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/lease.pb.h"
#include "tests/server/service/administered_site.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/statement_log.h"

namespace priorityd::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

void SetTime(absl::Time time, google::protobuf::Timestamp* proto) {
  proto->set_seconds(absl::ToUnixSeconds(time));
}

v1::ChangeOptions Until(absl::Time until) {
  v1::ChangeOptions options;
  SetTime(until, options.mutable_until());
  return options;
}

v1::ChangeOptions Between(absl::Time from, absl::Time until) {
  v1::ChangeOptions options = Until(until);
  SetTime(from, options.mutable_from());
  return options;
}

// The clock is manual: it begins at TestEpoch, in UTC.
class LeasesTest : public AdministeredSite {
 protected:
  LeasesTest() {
    Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\n");
    RecalculateAt(TestEpoch());
  }

  uint32_t SharesOf(const std::string& account) {
    return ShareOf(ListShares(service_), account, "").raw_shares();
  }
  uint32_t SharesAt(absl::Time time, const std::string& account) {
    RecalculateAt(time);
    return SharesOf(account);
  }

  v1::ListLeasesResponse Leases(bool past = false) {
    v1::ListLeasesRequest request;
    for (int state = v1::LEASE_STATE_PENDING; past && state <= v1::LEASE_STATE_CANCELLED; ++state) {
      request.add_states(static_cast<v1::LeaseState>(state));
    }
    return Called<v1::ListLeasesResponse>(request, nullptr);
  }
  v1::ChangeResponse End(int64_t id, grpc::Status* status = nullptr) {
    v1::EndLeasesRequest request;
    request.add_ids(id);
    return Changed(request, status);
  }
  v1::ChangeResponse ModifyQos(const Names& settings, const v1::ChangeOptions& options,
                               grpc::Status* status = nullptr) {
    v1::UpdateQosRequest request;
    request.add_names("double");
    AddSettings(settings, &request);
    *request.mutable_options() = options;
    return Changed(request, status);
  }

  // `action object: before -> after` of begins and ends, oldest first.
  std::vector<std::string> Events() {
    v1::ListAuditEventsRequest request;
    request.add_actions("LeaseBegin");
    request.add_actions("LeaseEnd");
    const auto list = Called<v1::ListAuditEventsResponse>(request, nullptr);
    std::vector<std::string> events;
    for (const v1::AuditEvent& event : list.events()) {
      EXPECT_EQ(event.principal(), "priorityd");
      EXPECT_THAT(event.comment(), HasSubstr("lease "));
      events.insert(events.begin(), absl::StrCat(event.action(), " ", event.object(), ": ",
                                                 event.before(), " -> ", event.after()));
    }
    return events;
  }

  // The message of a change that must be refused.
  std::string Refusal(const Names& settings, const v1::ChangeOptions& options) {
    grpc::Status status;
    Modify(Where({"a"}, {""}), settings, &status, options);
    EXPECT_FALSE(status.ok());
    return status.error_message();
  }
};

TEST_F(LeasesTest, ASettingHoldsExactlyFromItsBeginUpToItsEnd) {
  Modify(Where({"a"}, {""}), {"Fairshare=200"});
  const v1::ChangeResponse response =
      Modify(Where({"a"}, {""}), {"fairshare=1000"}, nullptr, Between(Hour(2), Hour(5)));
  ASSERT_THAT(response.changes(), SizeIs(1));
  EXPECT_EQ(response.changes(0).kind(), v1::CHANGE_KIND_CREATED);
  EXPECT_THAT(response.changes(0).object(), HasSubstr(" of account a"));
  EXPECT_EQ(response.changes(0).after(),
            "Begin=2026-01-05T02:00:00 End=2026-01-05T05:00:00 Fairshare=1000");
  EXPECT_EQ(SharesAt(Hour(2) - absl::Microseconds(1), "a"), 200u);
  EXPECT_EQ(SharesAt(Hour(2), "a"), 1000u);
  EXPECT_EQ(SharesAt(Hour(5) - absl::Microseconds(1), "a"), 1000u);
  EXPECT_EQ(Attribute("a", "", "Fairshare"), "200") << "the stored value stays";
  EXPECT_EQ(SharesAt(Hour(5), "a"), 200u);
  EXPECT_THAT(Events(), ElementsAre("LeaseBegin account a: Fairshare=200 -> Fairshare=1000",
                                    "LeaseEnd account a: Fairshare=1000 -> Fairshare=200"));
}

TEST_F(LeasesTest, WithoutFromItHoldsFromTheNextRecalculation) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000", "until=now+3hours"});
  EXPECT_EQ(SharesAt(TestEpoch(), "a"), 1000u);
  EXPECT_EQ(SharesAt(Hour(3), "a"), 1u);
}

TEST_F(LeasesTest, ALeaseThatNoRecalculationFellIntoIsAuditedTwiceAndNeverHeld) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000"}, nullptr, Between(Hour(2), Hour(3)));
  EXPECT_EQ(SharesAt(Hour(9), "a"), 1u);
  EXPECT_THAT(Events(), ElementsAre("LeaseBegin account a: Fairshare=1 -> Fairshare=1000",
                                    "LeaseEnd account a: Fairshare=1000 -> Fairshare=1"));
}

TEST_F(LeasesTest, AListOfQosIsLeasedWithItsLaterChanges) {
  Modify(Where({"a"}, {""}), {"QOS=normal"});
  Modify(Where({"a"}, {""}), {"QOS+=double"}, nullptr, Until(Hour(4)));
  const v1::Association row = One("a");
  ASSERT_THAT(row.leased(), SizeIs(1));
  EXPECT_EQ(row.leased(0).name(), "QOS");
  EXPECT_EQ(row.leased(0).value(), "normal,double");
  EXPECT_EQ(row.leased(0).then(), "normal");
  EXPECT_EQ(row.leased(0).until().seconds(), absl::ToUnixSeconds(Hour(4)));
  EXPECT_EQ(row.attributes().at("QOS"), "normal");
}

TEST_F(LeasesTest, AChangeUnderALeaseWarnsAndHoldsAfterIt) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000"}, nullptr, Until(Hour(4)));
  RecalculateAt(TestEpoch());
  const v1::ChangeResponse response = Modify(Where({"a"}, {""}), {"Fairshare=300", "MaxJobs=4"});
  ASSERT_THAT(response.warnings(), SizeIs(1));
  EXPECT_THAT(response.warnings(0),
              HasSubstr("Fairshare of account a is 1000 until 2026-01-05T04:00:00, then 300"));
  EXPECT_EQ(SharesAt(Hour(1), "a"), 1000u);
  EXPECT_EQ(SharesAt(Hour(4), "a"), 300u);
}

TEST_F(LeasesTest, TimesAreShownInWholeSeconds) {
  v1::ChangeOptions options = Until(Hour(4));
  options.mutable_until()->set_nanos(250'000'000);
  Modify(Where({"a"}, {""}), {"Fairshare=1000"}, nullptr, options);
  RecalculateAt(TestEpoch());
  const v1::ChangeResponse response = Modify(Where({"a"}, {""}), {"Fairshare=300"});
  ASSERT_THAT(response.warnings(), SizeIs(1));
  EXPECT_THAT(response.warnings(0), HasSubstr("is 1000 until 2026-01-05T04:00:00, then 300"));
}

TEST_F(LeasesTest, AnImportWarnsOfTheValuesThatItChangesUnderLeases) {
  Modify(Where({"a", "b"}, {""}), {"Fairshare=1000"}, nullptr, Until(Hour(4)));
  RecalculateAt(TestEpoch());
  v1::ImportRequest request = SmallSite();
  request.mutable_files()->DeleteSubrange(0, 2);
  std::string* dump = request.mutable_files(0)->mutable_content();
  const std::string before = "'a':Fairshare=1\n";
  dump->replace(dump->find(before), before.size(), "'a':Fairshare=7\n");
  const v1::ImportResponse response = Import(service_, request);
  EXPECT_THAT(response.warnings(),
              Contains(HasSubstr("Fairshare of account a is 1000 until 2026-01-05T04:00:00, then "
                                 "7 (lease ")));
  EXPECT_THAT(response.warnings(), Not(Contains(HasSubstr("account b"))));
  EXPECT_EQ(SharesAt(Hour(1), "a"), 1000u);
  EXPECT_EQ(SharesAt(Hour(4), "a"), 7u);
}

TEST_F(LeasesTest, LeasesOfAQosAPartitionAndAUserHold) {
  ModifyQos({"Priority=77"}, Until(Hour(4)));
  v1::UpdatePartitionsRequest partition;
  partition.add_names("main");
  partition.set_allow_missing(true);
  AddSettings({"State=UP"}, &partition);
  Changed(partition, nullptr);
  partition.clear_settings();
  partition.set_allow_missing(false);
  AddSettings({"State=DOWN", "until=now+4hours"}, &partition);
  Changed(partition, nullptr);
  AddUser("amy", {"b"});
  ModifyUser("amy", {"DefaultAccount=b", "until=now+4hours"});
  EXPECT_THAT(Leases().leases(), SizeIs(3));
  RecalculateAt(Hour(1));
  RecalculateAt(Hour(4));
  EXPECT_THAT(Events(), ElementsAre("LeaseBegin qos double: Priority=10 -> Priority=77",
                                    "LeaseBegin partition main: State=UP -> State=DOWN",
                                    "LeaseBegin user amy: DefaultAccount=a -> DefaultAccount=b",
                                    "LeaseEnd qos double: Priority=77 -> Priority=10",
                                    "LeaseEnd partition main: State=DOWN -> State=UP",
                                    "LeaseEnd user amy: DefaultAccount=b -> DefaultAccount=a"));
  EXPECT_THAT(Leases().leases(), IsEmpty());
  EXPECT_THAT(Leases(/*past=*/true).leases(), SizeIs(3));
}

TEST_F(LeasesTest, ALeaseThatHasBegunEndsNowAndAnotherIsCancelled) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000"}, nullptr, Until(Hour(9)));
  Modify(Where({"b"}, {""}), {"Fairshare=1000"}, nullptr, Between(Hour(5), Hour(9)));
  RecalculateAt(Hour(2));
  const v1::ListLeasesResponse before = Leases();
  ASSERT_THAT(before.leases(), SizeIs(2));
  EXPECT_EQ(before.leases(0).state(), v1::LEASE_STATE_PENDING);
  EXPECT_EQ(before.leases(1).state(), v1::LEASE_STATE_ACTIVE);
  for (const v1::Lease& lease : before.leases()) End(lease.id());
  EXPECT_EQ(SharesAt(Hour(2), "a"), 1u);
  EXPECT_EQ(SharesAt(Hour(6), "b"), 1u);
  const v1::ListLeasesResponse after = Leases(/*past=*/true);
  ASSERT_THAT(after.leases(), SizeIs(2));
  EXPECT_EQ(after.leases(0).state(), v1::LEASE_STATE_CANCELLED);
  EXPECT_EQ(after.leases(1).state(), v1::LEASE_STATE_ENDED);
  EXPECT_EQ(after.leases(1).end_time().seconds(), absl::ToUnixSeconds(Hour(2)));
  grpc::Status status;
  End(before.leases(0).id(), &status);
  EXPECT_EQ(status.error_code(), grpc::NOT_FOUND);
  EXPECT_THAT(Events(), ElementsAre("LeaseBegin account a: Fairshare=1 -> Fairshare=1000",
                                    "LeaseEnd account a: Fairshare=1000 -> Fairshare=1"));
}

TEST_F(LeasesTest, ALeaseOfADeletedQosIsSkippedAndTheRecalculationSucceeds) {
  Modify(Where({"a"}, {""}), {"QOS=normal,double", "Fairshare=1000"}, nullptr, Until(Hour(9)));
  RecalculateAt(Hour(1));
  v1::DeleteQosRequest request;
  request.add_names("double");
  Changed(request, nullptr);
  EXPECT_EQ(SharesAt(Hour(2), "a"), 1000u);
  EXPECT_EQ(SharesAt(Hour(9), "a"), 1u);
}

TEST_F(LeasesTest, ALookCreatesNone) {
  v1::ChangeOptions options = Until(Hour(9));
  options.set_validate_only(true);
  const v1::ChangeResponse look = Modify(Where({"a"}, {""}), {"Fairshare=5"}, nullptr, options);
  ASSERT_THAT(look.changes(), SizeIs(1));
  EXPECT_EQ(look.changes(0).object(), "lease of account a") << "it has no number yet";
  EXPECT_THAT(Leases(/*past=*/true).leases(), IsEmpty());
  EXPECT_EQ(SharesAt(Hour(1), "a"), 1u);
}

TEST_F(LeasesTest, WrongInputsNameTheirFields) {
  RecalculateAt(Hour(1));
  EXPECT_THAT(Refusal({"Fairshare=5"}, Until(Hour(1))),
              HasSubstr("options.until: got 2026-01-05T01:00:00, want a time after"));
  EXPECT_THAT(Refusal({"Fairshare=5"}, Until(Hour(11 * 366 * 24))), HasSubstr("at most 10 years"));
  EXPECT_THAT(Refusal({"Fairshare=5"}, Between(Hour(5), Hour(5))),
              HasSubstr("options.from: got 2026-01-05T05:00:00, want a time before"));
  EXPECT_THAT(Refusal({"Fairshare=5", "from=now+1day"}, {}),
              HasSubstr("settings[1].value: got a begin without an end"));
  EXPECT_THAT(Refusal({"Fairshare=5", "until=soon"}, {}), HasSubstr("settings[1].value: got"));
  EXPECT_THAT(Refusal({"Fairshare=5", "until=now+1day", "Until=now+2days"}, {}),
              HasSubstr("settings[2].name: got Until a second time, want it once"));
  EXPECT_THAT(Refusal({"until=now+1day"}, {}), HasSubstr("settings: got only a period"));
  EXPECT_THAT(Refusal({"Parent=b", "until=now+1day"}, {}),
              HasSubstr("settings[0].name: got Parent with options.until"));
  EXPECT_THAT(Refusal({"RawUsage=0", "until=now+1day"}, {}), HasSubstr("got RawUsage"));
  EXPECT_THAT(Refusal({"Fairshare=many", "until=now+1day"}, {}), HasSubstr("settings[0].value"));
  EXPECT_THAT(Refusal({"QOS=none", "until=now+1day"}, {}), HasSubstr("want QOS of the cluster"));
  grpc::Status status;
  Remove(Where({"b"}, {""}), &status, Until(Hour(9)));
  EXPECT_THAT(status.error_message(), HasSubstr("options.until: got a time, want none"));
  ModifyQos({"UsageFactor=2"}, Until(Hour(9)), &status);
  EXPECT_THAT(status.error_message(), HasSubstr("got UsageFactor with options.until"));
  ModifyUser("amy", {"AdminLevel=Operator", "until=now+1day"}, &status);
  EXPECT_THAT(status.error_message(), HasSubstr("got AdminLevel with options.until"));
  End(999, &status);
  EXPECT_THAT(status.error_message(), HasSubstr("ids[0]: got 999"));
  EXPECT_THAT(Leases(/*past=*/true).leases(), IsEmpty());
}

TEST_F(LeasesTest, AnObjectHasAtMostAHundredLeases) {
  for (int i = 0; i < 100; ++i) {
    Modify(Where({"a"}, {""}), {absl::StrCat("Fairshare=", i + 1)}, nullptr, Until(Hour(9)));
  }
  grpc::Status status;
  Modify(Where({"a"}, {""}), {"Fairshare=5"}, &status, Until(Hour(9)));
  EXPECT_EQ(status.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("of account a"));
  EXPECT_EQ(SharesAt(Hour(1), "a"), 100u) << "the last one";
}

TEST_F(LeasesTest, AUserHasAtMostTenLeasesAndCancelledOnesDoNotCount) {
  AddUser("amy", {"b"});
  const auto lease = [this](grpc::Status* status) {
    ModifyUser("amy", {"DefaultAccount=b", "from=now+1hours", "until=now+4hours"}, status);
  };
  for (int i = 0; i < 10; ++i) lease(nullptr);
  grpc::Status status;
  lease(&status);
  EXPECT_EQ(status.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("want at most 10 of user amy"));
  End(Leases().leases(0).id());
  lease(nullptr);
  EXPECT_THAT(Leases().leases(), SizeIs(10));
}

// A recalculation that passes an end waits for the revision, and an operator ends the lease.
TEST_F(LeasesTest, AnEarlyEndAndARecalculationThatPassesTheEndDoNotDeadlock) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000"}, nullptr, Until(Hour(1)));
  RecalculateAt(TestEpoch());
  const int64_t id = Leases().leases(0).id();
  storage::StatementLog log(service_.database_url());
  log.Clear();
  storage::HeldLock revision(service_.database_url(),
                             "SELECT FROM priorityd.configuration_revision FOR UPDATE");
  auto recalculated = std::async(std::launch::async, [&] { RecalculateAt(Hour(2)); });
  revision.AwaitWaiters(1);
  grpc::Status status;
  auto ended = std::async(std::launch::async, [&] { End(id, &status); });
  revision.AwaitWaiters(2);
  revision.Release();
  recalculated.get();
  ended.get();
  EXPECT_EQ(status.error_code(), grpc::NOT_FOUND) << "a recalculation has passed its end";
  EXPECT_EQ(log.Count("deadlock detected"), 0);
  EXPECT_THAT(Events(), SizeIs(2));
}

TEST_F(LeasesTest, ACancelledLeaseIsListedFor30DaysAndAnEndedOneFor400) {
  const auto lease = [this](double begin, double end) {
    Modify(Where({"a"}, {""}), {"Fairshare=5"}, nullptr, Between(Hour(begin), Hour(end)));
  };
  lease(0, 1);
  lease(5, 9);
  End(Leases().leases(0).id());
  RecalculateAt(Hour(24 * 30 - 1));
  lease(24 * 500, 24 * 501);
  EXPECT_THAT(Leases(/*past=*/true).leases(), SizeIs(3));
  RecalculateAt(Hour(24 * 30 + 1));
  lease(24 * 500, 24 * 501);
  EXPECT_THAT(Leases(/*past=*/true).leases(), SizeIs(3)) << "the cancelled one is deleted";
  RecalculateAt(Hour(24 * 400));
  lease(24 * 500, 24 * 501);
  EXPECT_THAT(Leases(/*past=*/true).leases(), SizeIs(4));
  RecalculateAt(Hour(24 * 400 + 2));
  lease(24 * 500, 24 * 501);
  EXPECT_THAT(Leases(/*past=*/true).leases(), SizeIs(4)) << "the ended one is deleted";
}

// Leases and changes of shares at random times against a model that tries every lease.
TEST_F(LeasesTest, RandomLeasesAndChangesEqualANaiveModel) {
  struct Entry {
    int begin, end;
    uint32_t shares;
  };
  std::map<std::string, std::vector<Entry>> leases;
  std::map<std::string, uint32_t> base = {{"a", 1}, {"b", 1}};
  const auto expected = [&](const std::string& account, int hour) {
    std::vector<Entry> order = leases[account];
    std::stable_sort(order.begin(), order.end(),
                     [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
    uint32_t shares = base[account];
    for (const Entry& entry : order) {
      if (entry.begin <= hour && hour < entry.end) shares = entry.shares;
    }
    return shares;
  };
  std::mt19937 random(7);
  const auto pick = [&](int below) { return static_cast<int>(random() % below); };
  int now = 0;
  for (int step = 0; step < 60; ++step) {
    const std::string account = pick(2) == 0 ? "a" : "b";
    const auto shares = static_cast<uint32_t>(1 + pick(1000));
    const Names settings = {absl::StrCat("Fairshare=", shares)};
    if (pick(3) == 0) {
      Modify(Where({account}, {""}), settings);
      base[account] = shares;
    } else {
      const int begin = now + pick(4), end = begin + 1 + pick(6);
      Modify(Where({account}, {""}), settings, nullptr, Between(Hour(begin), Hour(end)));
      leases[account].push_back({begin, end, shares});
    }
    now += pick(3);
    RecalculateAt(Hour(now));
    for (const char* name : {"a", "b"}) {
      EXPECT_EQ(SharesOf(name), expected(name, now)) << name << " step " << step << " at " << now;
    }
  }
}

}  // namespace
}  // namespace priorityd::rpc
