// What prioctl asks and prints of a site: import, cluster, policy, usage.
#include <atomic>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Rejects records whose id begins with `bad`, accepts the others.
void RejectBadRecords(FakePriorityd& fake) {
  fake.record_usage.Answer([](const v1::RecordUsageRequest& request, auto* response) {
    for (int i = 0; i < request.records_size(); ++i) {
      auto* result = response->add_results();
      const bool bad = request.records(i).record_id().starts_with("bad");
      result->set_status(bad ? v1::USAGE_RECORD_STATUS_REJECTED : v1::USAGE_RECORD_STATUS_ACCEPTED);
      (bad ? response->set_rejected(response->rejected() + 1)
           : response->set_accepted(response->accepted() + 1));
      if (!bad) continue;
      result->set_reason(v1::REJECTION_REASON_UNKNOWN_ACCOUNT);
      result->set_field(absl::StrCat("records[", i, "].account"));
      result->set_message("got \"x\", want an account of the cluster");
    }
    return grpc::Status::OK;
  });
}

TEST_F(PrioctlTest, ImportSendsTheFileUnderTheNameGiven) {
  fake_.import.Answer([](const auto&, v1::ImportResponse* response) {
    response->set_cluster("orc");
    response->add_warnings("PriorityFlags: two of a kind");
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("qos.txt", "Name|Priority\n");
  const Finished run = Run({"import", "qos", file, "--validate-only", "--clean"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("cluster orc"));
  EXPECT_EQ(run.err, "warning: PriorityFlags: two of a kind\n");
  const v1::ImportRequest request = fake_.import.requests()[0];
  EXPECT_EQ(request.files(0).name(), file);
  EXPECT_EQ(request.files(0).kind(), v1::FILE_KIND_QOS);
  EXPECT_EQ(request.files(0).content(), "Name|Priority\n");
  EXPECT_TRUE(request.validate_only());
  EXPECT_TRUE(request.clean());
}

TEST_F(PrioctlTest, ImportNamesLossesBeforeWarningsAndSendsStrict) {
  fake_.import.Answer([](const v1::ImportRequest&, v1::ImportResponse* response) {
    response->add_warnings("slurm.conf line 2: PriorityFlags: got \"X\"");
    response->add_warnings("slurm.conf line 3: DefaultTime: left out");
    response->set_losses(1);
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("slurm.conf", "ClusterName=orc\n");
  EXPECT_EQ(Run({"import", "slurm-conf", file}).err,
            "lost: slurm.conf line 2: PriorityFlags: got \"X\"\n"
            "warning: slurm.conf line 3: DefaultTime: left out\n");
  EXPECT_EQ(Run({"import", "slurm-conf", file, "--strict"}).exit_code, 0);
  EXPECT_FALSE(fake_.import.requests()[0].strict());
  EXPECT_TRUE(fake_.import.requests()[1].strict());
}

void AddUnused(const char* name, const char* value, v1::UnusedClass unused_class, int64_t places,
               google::protobuf::RepeatedPtrField<v1::UnusedSetting>* unused) {
  v1::UnusedSetting* setting = unused->Add();
  setting->set_place("slurm.conf line 7");
  setting->set_name(name);
  setting->set_value(value);
  setting->set_unused_class(unused_class);
  setting->set_effect("Jobs are refused.");
  setting->set_places(places);
}

TEST_F(PrioctlTest, ImportListsWhatHasNoEffectAndSendsWhatIsAccepted) {
  fake_.import.Answer([](const v1::ImportRequest&, v1::ImportResponse* response) {
    AddUnused("GraceTime", "60", v1::UNUSED_CLASS_LIMITS, 3, response->mutable_unused());
    AddUnused("ReqResv", "YES", v1::UNUSED_CLASS_LIMITS, 1, response->mutable_unused());
    AddUnused("SlurmctldPort", "6817", v1::UNUSED_CLASS_NO_CONSEQUENCE, 1,
              response->mutable_unused());
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("slurm.conf", "ClusterName=orc\n");
  const Finished run =
      Run({"import", "slurm-conf", file, "--accept", "DefMemPerCPU", "--accept", "X"});
  EXPECT_THAT(run.out, EndsWith("2 settings limit or refuse jobs in Slurm, not here:\n"
                                "  GraceTime=60 (slurm.conf line 7 and 2 more): Jobs are refused.\n"
                                "  ReqResv=YES (slurm.conf line 7): Jobs are refused.\n"
                                "1 setting without consequence:\n"
                                "  SlurmctldPort\n"));
  const v1::ImportRequest request = fake_.import.requests()[0];
  EXPECT_THAT(std::vector<std::string>(request.accept().begin(), request.accept().end()),
              testing::ElementsAre("DefMemPerCPU", "X"));
}

TEST_F(PrioctlTest, PolicyShowUnusedListsAllAlsoAsJson) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* response) {
    response->set_version(3);
    AddUnused("PreemptParameters=min_exempt_priority", "min_exempt_priority=5",
              v1::UNUSED_CLASS_LIMITS, 1, response->mutable_unused());
    AddUnused("SlurmctldPort", "6817", v1::UNUSED_CLASS_NO_CONSEQUENCE, 1,
              response->mutable_unused());
    return grpc::Status::OK;
  });
  EXPECT_EQ(Run({"policy", "show", "--unused"}).out,
            "1 setting limits or refuses jobs in Slurm, not here:\n"
            "  PreemptParameters=min_exempt_priority=5 (slurm.conf line 7): Jobs are refused.\n"
            "1 setting without consequence:\n"
            "  SlurmctldPort=6817 (slurm.conf line 7): Jobs are refused.\n");
  EXPECT_THAT(Run({"policy", "show", "--unused", "--json"}).out,
              testing::AllOf(HasSubstr("UNUSED_CLASS_LIMITS"), HasSubstr("min_exempt_priority=5"),
                             testing::Not(HasSubstr("parameters"))));
}

TEST_F(PrioctlTest, ImportTakesTheJsonOfSshare) {
  fake_.import.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const std::string file = WriteFile(
      "sshare.json", R"({"shares": {"shares": [{"name": "root", "parent": "", "usage": 5}]}})");
  EXPECT_EQ(Run({"import", "sshare", file}).exit_code, 0);
  ASSERT_EQ(fake_.import.requests().size(), 1u);
  EXPECT_EQ(fake_.import.requests()[0].files(0).content(),
            "Account|User|Partition|RawUsage|Cluster\nroot|||5|\n");
}

TEST_F(PrioctlTest, ImportOfGrantsAsksWhatToRevokeAndShowsItsCounts) {
  fake_.import.Answer([](const v1::ImportRequest& request, v1::ImportResponse* response) {
    EXPECT_EQ(request.files(0).kind(), v1::FILE_KIND_PRIORITYD);
    response->set_cluster("orc");
    response->mutable_grants()->set_deleted(2);
    response->mutable_leases()->set_created(1);
    response->mutable_user_aliases()->set_unchanged(5);
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("orc.priorityd", "Merge - 'a.smith':Into='amy'\n");
  EXPECT_THAT(Failure(1, {"import", "priorityd", file, "--clean"}),
              HasSubstr("Revoke 2 grants, end 0 leases, unmerge 0 users, remove 0 "
                        "aliases of cluster orc"));
  const Finished run = Run({"import", "priorityd", file, "--clean", "--yes"});
  EXPECT_THAT(run.out, HasSubstr("grants        0       0         0       2\n"
                                 "leases        1       0         0       0\n"
                                 "aliases       0       0         5       0\n"));
  EXPECT_THAT(Run({"import", "sacctmgr", file}).err,
              HasSubstr("which `prioctl import priorityd` takes"));
}

TEST_F(PrioctlTest, ImportReportsWhenItTakesEffect) {
  fake_.import.Answer([](const v1::ImportRequest& request, v1::ImportResponse* response) {
    if (request.clean()) response->mutable_takes_effect_at()->set_seconds(1795181231);
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("qos.txt", "Name|Priority\n");
  EXPECT_THAT(
      Run({"import", "qos", file, "--clean"}).out,
      EndsWith("takes effect at 2026-11-20T13:27:11; `prioctl recalculate` makes it now\n"));
  EXPECT_THAT(Run({"import", "qos", file}).out,
              EndsWith("takes effect with `prioctl recalculate`\n"));
  EXPECT_THAT(Run({"import", "qos", file, "--validate-only"}).out, Not(HasSubstr("takes effect")));
}

TEST_F(PrioctlTest, ClusterAddSetsOnlyWhatIsGiven) {
  fake_.update_cluster.Answer([](const v1::UpdateClusterRequest& request, v1::Cluster* response) {
    *response = request.cluster();
    return grpc::Status::OK;
  });
  const Finished run =
      Run({"cluster", "add", "kube", "--cpus", "2.5", "--tres", "mem=1000,gres/gpu=4"});
  EXPECT_EQ(run.out, "cluster kube: 0 nodes, 2.5 cpus, tres gres/gpu=4,mem=1000\n");
  const v1::UpdateClusterRequest request = fake_.update_cluster.requests()[0];
  EXPECT_TRUE(request.allow_missing());
  EXPECT_THAT(request.update_mask().paths(), ::testing::ElementsAre("cpus", "tres"));
  ASSERT_EQ(Run({"cluster", "modify", "kube", "--nodes", "3"}).exit_code, 0);
  EXPECT_FALSE(fake_.update_cluster.requests()[1].allow_missing());
}

TEST_F(PrioctlTest, RecalculateNamesTheSnapshot) {
  fake_.recalculate.Answer([](const v1::RecalculateRequest& request, v1::Snapshot* response) {
    response->set_cluster("orc");
    response->set_generation(7);
    *response->mutable_computed_at() = request.as_of();
    return grpc::Status::OK;
  });
  const Finished run = Run({"recalculate", "--as-of", "2026-11-20T13:07:11Z"});
  EXPECT_EQ(run.out,
            "recalculated cluster orc, generation 7, computed at 2026-11-20T13:07:11, policy "
            "version 0\n");
}

TEST_F(PrioctlTest, PolicyApplySendsTheFileAndSaysWhatBecameOfIt) {
  fake_.apply_policy.Answer([](const auto&, v1::ApplyPolicyResponse* response) {
    response->mutable_policy()->set_version(4);
    response->set_created(true);
    return grpc::Status::OK;
  });
  const Finished run =
      Run({"policy", "apply", "-", "--retroactive", "--comment", "why"}, "PriorityMaxAge=1-0\n");
  const v1::ApplyPolicyRequest request = fake_.apply_policy.requests()[0];
  EXPECT_EQ(request.text(), "PriorityMaxAge=1-0\n");
  EXPECT_EQ(request.comment(), "why");
  EXPECT_TRUE(request.retroactive());
  EXPECT_FALSE(request.validate_only());
  EXPECT_EQ(run.out, "policy version 4 (new), its half-life for all the past\n");
}

TEST_F(PrioctlTest, PolicyShowNamesEveryParameterAsSlurmConfDoes) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* response) {
    response->set_version(3);
    const auto add = [&](const char* name, const char* value, bool acted_on) {
      v1::PolicyParameter* parameter = response->mutable_parameters()->add_all();
      parameter->set_name(name);
      parameter->set_value(value);
      parameter->set_acted_on(acted_on);
    };
    add("PriorityMaxAge", "00:10:00", true);
    add("PriorityWeightFairshare", "10000", true);
    add("PrivateData", "usage", false);
    add("SlurmctldParameters", "", false);
    return grpc::Status::OK;
  });
  const Finished run = Run({"policy", "show", "--version", "3"});
  EXPECT_EQ(fake_.get_policy.requests()[0].version(), 3);
  EXPECT_THAT(run.out, HasSubstr("PriorityMaxAge          00:10:00\n"));
  EXPECT_THAT(run.out, HasSubstr("PriorityWeightFairshare 10000\n"));
  EXPECT_THAT(run.out, HasSubstr("PrivateData             usage\n"));
  EXPECT_THAT(run.out, EndsWith("\nnot acted on yet: PrivateData, SlurmctldParameters\n"));
}

TEST_F(PrioctlTest, ResetUsageNamesHowManyAndWhen) {
  fake_.reset_usage.Answer([](const auto&, v1::ResetUsageResponse* response) {
    response->set_associations(1200);
    response->mutable_reset_at()->set_seconds(0);
    return grpc::Status::OK;
  });
  const Finished run = Run({"reset-usage", "physics", "--user", "ann", "--validate-only"});
  EXPECT_EQ(fake_.reset_usage.requests()[0].account(), "physics");
  EXPECT_EQ(fake_.reset_usage.requests()[0].user(), "ann");
  EXPECT_TRUE(fake_.reset_usage.requests()[0].validate_only());
  EXPECT_THAT(run.out, StartsWith("valid: would reset 1,200 associations at "));
}

TEST_F(PrioctlTest, UsageIsResetAfterAQuestionOnly) {
  fake_.reset_usage.Answer([](const auto&, v1::ResetUsageResponse* response) {
    response->set_associations(12);
    return grpc::Status::OK;
  });
  const std::string error = Failure(1, {"reset-usage", "physics"});
  EXPECT_EQ(
      error,
      "prioctl: Forget the usage of 12 associations, of account physics? It cannot be undone. "
      "Nothing was done: there is no terminal to ask on, give --yes\n");
  ASSERT_EQ(fake_.reset_usage.requests().size(), 1u);
  EXPECT_TRUE(fake_.reset_usage.requests()[0].validate_only());
  EXPECT_EQ(Run({"reset-usage", "physics", "-y"}).exit_code, 0);
  ASSERT_EQ(fake_.reset_usage.requests().size(), 2u);
  EXPECT_FALSE(fake_.reset_usage.requests()[1].validate_only());
}

TEST_F(PrioctlTest, WhatCleanWouldDeleteIsAskedAbout) {
  std::atomic<int> deleted = 3;
  fake_.import.Answer([&](const v1::ImportRequest&, v1::ImportResponse* response) {
    response->set_cluster("orc");
    response->mutable_associations()->set_deleted(deleted);
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("orc.dump", "Cluster - 'orc':Fairshare=1\n");
  EXPECT_THAT(Failure(1, {"import", "sacctmgr", file, "--clean"}),
              StartsWith("prioctl: Delete 3 associations, 0 QOS, 0 partitions of cluster "
                         "orc that " +
                         file + " does not name? "));
  ASSERT_EQ(fake_.import.requests().size(), 1u);
  EXPECT_TRUE(fake_.import.requests()[0].validate_only());
  EXPECT_EQ(Run({"import", "sacctmgr", file, "--clean", "--yes"}).exit_code, 0);
  deleted = 0;
  EXPECT_EQ(Run({"import", "sacctmgr", file, "--clean"}).exit_code, 0);
  EXPECT_FALSE(fake_.import.requests().back().validate_only());
}

TEST_F(PrioctlTest, OnAManualClockTheImportSaysHowItTakesEffect) {
  fake_.import.Answer([](const auto&, v1::ImportResponse* response) {
    response->set_cluster("man");
    return grpc::Status::OK;
  });
  fake_.get_policy.Answer([](const v1::GetPolicyRequest& request, v1::Policy* policy) {
    policy->mutable_parameters()->set_clock(request.cluster() == "man" ? "manual" : "real");
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("qos.txt", "Name|Priority\n");
  EXPECT_THAT(Run({"import", "qos", file}).out,
              EndsWith("takes effect with `prioctl recalculate --as-of=TIME`, since its clock is "
                       "manual\n"));
}

TEST_F(PrioctlTest, RebuildUsageListsWhatDiffered) {
  fake_.rebuild_usage.Answer([](const auto&, v1::RebuildUsageResponse* response) {
    response->set_done(true);
    response->set_records(1000000);
    response->set_rows(7);
    response->set_different_rows(1);
    response->add_differences()->set_account("physics");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"rebuild-usage"}).out,
              AllOf(HasSubstr("physics"), EndsWith("1,000,000 records, 7 rows, 1 different, "
                                                   "corrected\n")));
  EXPECT_THAT(Failure(1, {"rebuild-usage", "--validate-only"}),
              HasSubstr("1 rows differ from the ledger"));
}

TEST_F(PrioctlTest, RejectedRecordsAreNamedByTheirLineAndFailTheCommand) {
  RejectBadRecords(fake_);
  const std::string file =
      WriteFile("usage.jsonl",
                "{\"recordId\": \"1\"}\n\n{\"recordId\": \"bad1\"}\n{\"recordId\": \"2\"}\n"
                "{\"recordId\": \"bad2\"}\n");
  const Finished run = Run({"record", file, "--batch-size", "2"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "2 accepted, 0 duplicate, 2 rejected\n");
  EXPECT_EQ(run.err, absl::StrCat(file,
                                  " line 3: rejected, UNKNOWN_ACCOUNT: account: got \"x\", want an "
                                  "account of the cluster\n",
                                  file,
                                  " line 5: rejected, UNKNOWN_ACCOUNT: account: got \"x\", want an "
                                  "account of the cluster\n",
                                  "prioctl: 2 of 4 records were rejected\n"));
}

TEST_F(PrioctlTest, RecordingPrintsNoProgressWhereThereIsNoTerminal) {
  RejectBadRecords(fake_);
  const Finished run = Run({"record", "-"}, "{\"recordId\": \"1\"}\n");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, "1 accepted, 0 duplicate, 0 rejected\n");
}

TEST_F(PrioctlTest, ALineThatIsNoRecordIsRejectedAndTheOthersAreRecorded) {
  RejectBadRecords(fake_);
  const Finished run =
      Run({"record", "-"}, "{\"recordId\": \"1\"}\n{\"recordID\": \"2\"}\n{\"recordId\": \"3\"}\n");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "2 accepted, 0 duplicate, 1 rejected\n");
  EXPECT_EQ(run.err,
            "standard input line 2: rejected, NOT_A_RECORD: unknown field \"recordID\"\n"
            "prioctl: 1 of 3 records was rejected\n");
}

TEST_F(PrioctlTest, AFileOfAnotherKindIsNotRecordedLineByLine) {
  EXPECT_EQ(Failure(1, {"record", "-"}, "ClusterName=orc\nControlMachine=a\n"),
            "prioctl: standard input: this looks like a slurm.conf, which `prioctl import "
            "slurm-conf`, `policy apply` and `policy diff` take; want JSON Lines\n");
}

TEST_F(PrioctlTest, ShareHistoryPrintsEveryPage) {
  fake_.list_share_history.Answer(
      [](const v1::ListShareHistoryRequest& request, v1::ListShareHistoryResponse* response) {
        v1::ShareSample* sample = response->add_samples();
        sample->set_account("physics");
        sample->mutable_sampled_at()->set_seconds(1767571200);
        sample->set_raw_usage(12.5);
        if (request.page_token().empty()) {
          response->set_next_page_token("next");
        } else {
          sample->set_user("ann");
          sample->set_fair_share(0.25);
        }
        return grpc::Status::OK;
      });
  const Finished run = Run({"share-history", "-A", "physics", "--start", "2026-01-01T00:00:00Z"});
  EXPECT_EQ(run.out,
            "TIME                ACCOUNT USER RAWUSAGE FAIRSHARE\n"
            "2026-01-05T00:00:00 physics          12.5 \n"
            "2026-01-05T00:00:00 physics ann      12.5      0.25\n");
  const v1::ListShareHistoryRequest request = fake_.list_share_history.requests()[1];
  EXPECT_EQ(request.accounts(0), "physics");
  EXPECT_EQ(request.start_time().seconds(), 1767225600);
  EXPECT_EQ(request.page_token(), "next");
}

}  // namespace
}  // namespace priorityd
