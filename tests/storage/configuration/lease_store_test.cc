#include "storage/configuration/lease_store.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/configuration_store.h"
#include "storage/jobs/job_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

absl::Time LeaseHour(int hour) { return absl::FromUnixSeconds(1'767'225'600 + hour * 3600); }

Lease Shares(int begin, int end, const std::string& account = "chem") {
  return {.kind = "association",
          .account = account,
          .user_name = "",
          .partition = "",
          .qos = "",
          .job_id = "7",
          .object = "account " + account,
          .setting_names = {"Fairshare", "QOS", "Comment"},
          .setting_operators = {"=", "+=", "-="},
          .setting_values = {"1000", "a{1},\"é", ""},
          .begin_time = LeaseHour(begin),
          .end_time = LeaseHour(end),
          .created_by = "root (munge)",
          .comment = "the paper"};
}

class LeaseStoreTest : public StoreTest {
 protected:
  // With its new id.
  Lease Inserted(Lease lease) {
    lease.id = Write([&](Transaction& t) {
                 return LeaseStore(t).Insert(cluster_.id, {&lease, 1});
               })
                   .value()
                   .front();
    return lease;
  }
  std::vector<Lease> Open() {
    return Read([&](Transaction& t) { return LeaseStore(t).ListOpen(cluster_.id); }).value();
  }
  void End(const Lease& lease, int hour) {
    ASSERT_TRUE(Write([&](Transaction& t) {
                  return LeaseStore(t).End(cluster_.id, {lease.id}, LeaseHour(hour), "amy");
                }).ok());
  }
  std::vector<int64_t> Pass(bool end, const Lease& lease) {
    return Write([&](Transaction& t) {
             LeaseStore store(t);
             return end ? store.PassEnds(cluster_.id, {lease.id})
                        : store.PassBegins(cluster_.id, {lease.id});
           })
        .value();
  }
  std::vector<int64_t> IdsOf(const LeaseFilter& filter, int64_t before = 0, int64_t most = 100) {
    std::vector<int64_t> ids;
    const auto leases = Read([&](Transaction& t) {
                          return LeaseStore(t).List(cluster_.id, filter, before, most);
                        }).value();
    for (const Lease& lease : leases) ids.push_back(lease.id);
    return ids;
  }
  int64_t Revision() {
    return Read([&](Transaction& t) { return ConfigurationStore(t).Revision(cluster_.id); })
        .value();
  }
};

TEST_F(LeaseStoreTest, OpenLeasesAreListedByBeginThenIdWithEveryField) {
  const Lease later = Inserted(Shares(2, 4));
  const Lease first = Inserted(Shares(1, 9));
  const Lease second = Inserted(Shares(1, 3, "phys"));
  EXPECT_EQ(Open(), (std::vector<Lease>{first, second, later}));
}

TEST_F(LeaseStoreTest, SeveralLeasesGetIdsInTheirOrder) {
  const std::vector<Lease> leases = {Shares(3, 4, "a"), Shares(1, 4, "b"), Shares(2, 4, "c")};
  const auto ids =
      Write([&](Transaction& t) { return LeaseStore(t).Insert(cluster_.id, leases); }).value();
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_LT(ids[0], ids[1]);
  EXPECT_LT(ids[1], ids[2]);
  const auto open = Open();
  ASSERT_EQ(open.size(), 3u);
  EXPECT_EQ(open[0].id, ids[1]);
  EXPECT_EQ(open[0].account, "b");
}

TEST_F(LeaseStoreTest, AnEndIsPassedOnceAndTheLeaseIsOpenNoMore) {
  const Lease lease = Inserted(Shares(1, 4));
  EXPECT_EQ(Pass(/*end=*/false, lease), std::vector<int64_t>{lease.id});
  EXPECT_EQ(Pass(/*end=*/false, lease), std::vector<int64_t>{});
  ASSERT_EQ(Open().size(), 1u);
  EXPECT_TRUE(Open()[0].begin_passed);
  EXPECT_EQ(Pass(/*end=*/true, lease), std::vector<int64_t>{lease.id});
  EXPECT_EQ(Pass(/*end=*/true, lease), std::vector<int64_t>{});
  EXPECT_TRUE(Open().empty());
}

TEST_F(LeaseStoreTest, StatesExcludeEachOther) {
  const Lease pending = Inserted(Shares(6, 9));
  const Lease active = Inserted(Shares(5, 9));
  const Lease ended = Inserted(Shares(1, 5));
  const Lease early = Inserted(Shares(1, 9));
  const Lease cancelled = Inserted(Shares(7, 9));
  End(early, 3);
  End(cancelled, 3);
  LeaseFilter filter;
  filter.time = LeaseHour(5);
  const auto only = [&](bool LeaseFilter::*state) {
    LeaseFilter one = filter;
    one.pending = one.active = one.ended = one.cancelled = false;
    one.*state = true;
    return IdsOf(one);
  };
  EXPECT_EQ(only(&LeaseFilter::pending), std::vector<int64_t>{pending.id});
  EXPECT_EQ(only(&LeaseFilter::active), std::vector<int64_t>{active.id});
  EXPECT_EQ(only(&LeaseFilter::ended), (std::vector<int64_t>{early.id, ended.id}));
  EXPECT_EQ(only(&LeaseFilter::cancelled), std::vector<int64_t>{cancelled.id});
  EXPECT_EQ(IdsOf(filter, 0, 2), (std::vector<int64_t>{cancelled.id, early.id}));
  EXPECT_EQ(IdsOf(filter, early.id, 2), (std::vector<int64_t>{ended.id, active.id}));
  filter.objects = {"account phys"};
  EXPECT_TRUE(IdsOf(filter).empty());
  EXPECT_EQ(Read([&](Transaction& t) {
              return LeaseStore(t).CountNotEnded(cluster_.id, LeaseHour(5), "association");
            }).value(),
            2);
  const auto count = [&](const LeaseAuthors& authors) {
    return Read([&](Transaction& t) {
             return LeaseStore(t).CountNotEnded(cluster_.id, LeaseHour(5), "association", authors);
           })
        .value();
  };
  EXPECT_EQ(count({"root (", ")"}), 2);
  EXPECT_EQ(count({"roo (", ")"}), 0);
  EXPECT_EQ(count({"root (", ") on behalf of amy"}), 0);
}

TEST_F(LeaseStoreTest, ALeaseWhoseBeginWasPassedIsNotCancelled) {
  Lease lease = Inserted(Shares(2, 4));
  Pass(/*end=*/false, lease);
  End(lease, 1);  // By a caller who read the clock before.
  lease.begin_passed = true;
  lease.ended_at = LeaseHour(2) + absl::Microseconds(1);
  lease.ended_by = "amy";
  EXPECT_EQ(Open(), std::vector<Lease>{lease}) << "its end has to be passed too";
}

TEST_F(LeaseStoreTest, TheNextPassageIsTheFirstBeginOrEndAfterATime) {
  const Lease early = Inserted(Shares(1, 9));
  const Lease cancelled = Inserted(Shares(4, 9));
  Inserted(Shares(6, 8));
  End(early, 5);
  End(cancelled, 3);
  const auto next = [&](int hour) {
    return Read([&](Transaction& t) {
             return LeaseStore(t).NextPassage(cluster_.id, LeaseHour(hour));
           })
        .value();
  };
  const int after[] = {0, 1, 4, 5, 6, 7};
  const int at[] = {1, 5, 5, 6, 8, 8};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(next(after[i]), LeaseHour(at[i])) << after[i];
  EXPECT_EQ(next(8), std::nullopt);
}

TEST_F(LeaseStoreTest, ALeaseAndItsEarlyEndAreNewRevisionsButNotItsPassages) {
  const int64_t before = Revision();
  const Lease lease = Inserted(Shares(1, 4));
  EXPECT_EQ(Revision(), before + 1);
  Pass(/*end=*/false, lease);
  EXPECT_EQ(Revision(), before + 1);
  End(lease, 2);
  EXPECT_EQ(Revision(), before + 2);
  Pass(/*end=*/true, lease);
  EXPECT_EQ(Revision(), before + 2);
}

TEST_F(LeaseStoreTest, ThePublishedEditionHasTheLeasesOfItsRevision) {
  const auto published = [&] {
    return Read([&](Transaction& t) {
             return LeaseStore(t).ListOpen(cluster_.id, Edition::kPublished);
           })
        .value();
  };
  const auto publish = [&] {
    ASSERT_TRUE(Write([&](Transaction& t) -> absl::Status {
                  ConfigurationStore store(t);
                  const auto revision = store.LockRevision(cluster_.id);
                  if (!revision.ok()) return revision.status();
                  return store.Publish(cluster_.id, *revision);
                }).ok());
  };
  Lease lease = Inserted(Shares(1, 4));
  EXPECT_TRUE(published().empty());
  publish();
  EXPECT_EQ(published(), std::vector<Lease>{lease});
  End(lease, 2);
  EXPECT_EQ(published(), std::vector<Lease>{lease});
  publish();
  lease.ended_at = LeaseHour(2);
  lease.ended_by = "amy";
  EXPECT_EQ(published(), std::vector<Lease>{lease});
}

TEST_F(LeaseStoreTest, TheViewHasTheEndThatTookEffect) {
  const Lease early = Inserted(Shares(1, 4));
  const Lease cancelled = Inserted(Shares(1, 4, "phys"));
  End(early, 2);
  End(cancelled, 0);
  const auto rows = Read([&](Transaction& t) {
    return t.Query(OnlyColumn<std::string>,
                   "SELECT object || ' ' || extract(epoch FROM end_time)::bigint || ' ' || "
                   "is_cancelled || ' ' || ended_by FROM priorityd_report.lease ORDER BY id");
  });
  EXPECT_EQ(rows.value(),
            (std::vector<std::string>{
                absl::StrCat("account chem ", absl::ToUnixSeconds(LeaseHour(2)), " false amy"),
                absl::StrCat("account phys ", absl::ToUnixSeconds(LeaseHour(0)), " true amy")}));
}

TEST_F(LeaseStoreTest, LeasesThatEndedOrWereCancelledBeforeTheirTimesAreDeleted) {
  Inserted(Shares(1, 4));
  const Lease kept = Inserted(Shares(1, 5));
  const Lease later = Inserted(Shares(1, 9));
  const Lease cancelled = Inserted(Shares(8, 9));
  const Lease old = Inserted(Shares(8, 9));
  End(later, 6);
  End(cancelled, 7);
  End(old, 6);
  ASSERT_TRUE(Write([&](Transaction& t) {
                return LeaseStore(t).DeleteBefore(cluster_.id, LeaseHour(5), LeaseHour(7));
              }).ok());
  LeaseFilter filter;
  filter.time = LeaseHour(9);
  EXPECT_EQ(IdsOf(filter), (std::vector<int64_t>{cancelled.id, later.id, kept.id}));
}

TEST_F(LeaseStoreTest, OnlyJobsThatHaveNotEndedAreListed) {
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    if (auto locked = JobStore(t).Lock(cluster_.id); !locked.ok()) return locked.status();
    return t
        .Execute(
            "INSERT INTO priorityd.job (cluster_id, job_id, change, source, name, user_name, "
            "account, partitions, qos, state, ended_as, end_time, hold, dependency, "
            "told_dependency_unmet, dependency_unmet, submit_time, accrue_time, nodes, cpus, "
            "tres_names, tres_counts, nice, site_factor, reservation, array_tasks) "
            "SELECT $1, job, row_number() OVER (), '', '', 'u', '', ARRAY['p'], ARRAY['q'], "
            "'PENDING', ended, CASE WHEN ended = '' THEN NULL ELSE now() END, '', '', false, "
            "false, now(), now(), 1, 1, '{}', '{}', nice, 0, '', 1 "
            "FROM (VALUES ('1', '', -5), ('2', 'FAILED', 6), ('3', '', 7)) AS j (job, ended, nice)",
            {cluster_.id})
        .status();
  }));
  const auto jobs = Read([&](Transaction& t) {
                      return LeaseStore(t).ListJobs(cluster_.id, {"1", "2", "4"});
                    }).value();
  EXPECT_EQ(jobs, (std::vector<LeasedJob>{{"1", -5}}));
}

TEST_F(LeaseStoreTest, FromTheFirstLeaseOfAJobOnNoProgramStartsThatKnowsNone) {
  const auto compatible_from = [&] {
    return Read([](Transaction& t) {
             return t.QueryOne(OnlyColumn<int32_t>,
                               "SELECT compatible_from FROM priorityd.schema_migration "
                               "WHERE name = '0051_job_leases'");
           })
        .value();
  };
  Inserted(Shares(1, 4));
  EXPECT_LT(compatible_from(), 51);
  Lease lease = Shares(1, 4);
  lease.kind = "job";
  lease.job_id = "812";
  Inserted(lease);
  EXPECT_EQ(compatible_from(), 51);
}

// Of the QOS high, by amy each 20th, by ben the others; a third each was cancelled, was ended
// early, ended by itself. The table has no statistics.
constexpr char kInsertEnded[] =
    "INSERT INTO priorityd.setting_lease (cluster_id, kind, account, user_name, partition, "
    "qos, object, setting_names, setting_operators, setting_values, begin_time, end_time, "
    "created_by, comment, ended_at, begin_passed, end_passed) "
    "SELECT $1, 'qos', '', '', '', 'high', 'qos high', '{Priority}', '{=}', '{5}', "
    "at, at + interval '2 hours', CASE i % 20 WHEN 0 THEN 'amy (x)' ELSE 'ben (x)' END, '', "
    "CASE i % 3 WHEN 0 THEN at WHEN 1 THEN at + interval '1 hour' END, i % 3 > 0, true "
    "FROM generate_series(1, 6000) AS i, "
    "LATERAL (SELECT $2::timestamptz + i * interval '1 hour' AS at) AS begins";

TEST_F(LeaseStoreTest, ToDeleteOldLeasesTheOthersAreNotRead) {
  ASSERT_OK(Write([&](Transaction& t) {
    return t.Execute(kInsertEnded, {cluster_.id, LeaseHour(0)}).status();
  }));
  LeaseFilter filter;
  filter.time = LeaseHour(9000);
  const size_t before = IdsOf(filter, 0, 10'000).size();
  const auto read = Write([&](Transaction& t) {
    return RowsReadBy(t, "priorityd.setting_lease", [&] {
      return LeaseStore(t).DeleteBefore(cluster_.id, LeaseHour(32), LeaseHour(62));
    });
  });
  ASSERT_OK(read);
  // Of each third 10 that ended, and cancelled ones of 30 more hours.
  EXPECT_EQ(before - IdsOf(filter, 0, 10'000).size(), 40u);
  EXPECT_LE(*read, 300);
}

TEST_F(LeaseStoreTest, OfEndedLeasesTheOldestBeyondTheBoundsAreDeletedByIndex) {
  const Lease open = Inserted(Shares(1, 4));
  ASSERT_OK(Write([&](Transaction& t) {
    return t.Execute(kInsertEnded, {cluster_.id, LeaseHour(0)}).status();
  }));
  const auto scans = [](Transaction& t) {
    return t.QueryOne(OnlyColumn<int64_t>,
                      "SELECT seq_scan FROM pg_stat_xact_user_tables "
                      "WHERE relid = 'priorityd.setting_lease'::regclass");
  };
  const auto delete_beyond = [&](int64_t of_authors, int64_t of_kind) {
    const auto done = Write([&](Transaction& t) -> absl::StatusOr<int64_t> {
      const auto before = scans(t);
      if (!before.ok()) return before.status();
      absl::Status status =
          LeaseStore(t).DeleteBeyond(cluster_.id, "qos", {"amy (", ")"}, of_authors, of_kind);
      if (!status.ok()) return status;
      const auto after = scans(t);
      if (!after.ok()) return after.status();
      return *after - *before;
    });
    EXPECT_EQ(done.value_or(-1), 0) << "sequential scans";
  };
  // The ids that are left of each author, `count least`.
  const auto left = [&](const std::string& author) {
    return Read([&](Transaction& t) {
             return t.QueryOne(OnlyColumn<std::string>,
                               "SELECT count(*) || ' ' || (min(id) - $2::bigint) FROM "
                               "priorityd.setting_lease WHERE created_by = $1",
                               {author, open.id});
           })
        .value();
  };
  ASSERT_EQ(left("amy (x)"), "300 20");
  delete_beyond(290, 10'000);
  EXPECT_EQ(left("amy (x)"), "290 220");
  EXPECT_EQ(left("ben (x)"), "5700 1");
  delete_beyond(290, 100);
  EXPECT_EQ(left("amy (x)"), "5 5920");
  EXPECT_EQ(left("ben (x)"), "95 5901");
  EXPECT_EQ(Open(), std::vector<Lease>{open});
}

}  // namespace
}  // namespace priorityd::storage
