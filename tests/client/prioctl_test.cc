// The real prioctl, run as a program against a service inside the test.
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "tests/client/fake_priorityd.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTwoJobs[] =
    "{\"jobId\": \"1\", \"user\": \"ann\"}\n{\"jobId\": \"2\", \"user\": \"bob\"}\n";

// One line, and that one alone.
MATCHER(IsOneLine, "") {
  return std::count(arg.begin(), arg.end(), '\n') == 1 && arg.back() == '\n';
}

class PrioctlTest : public ::testing::Test {
 protected:
  Finished Run(std::vector<std::string> arguments, const std::string& in = "",
               const std::string& name = "prioctl") {
    arguments.insert(arguments.begin(), {"--server", fake_.address()});
    return RunPrioctl(arguments, in, name);
  }

  // Rejects records whose id begins with `bad`, accepts the others.
  void RejectBadRecords() {
    fake_.record_usage.Answer([](const v1::RecordUsageRequest& request, auto* response) {
      for (int i = 0; i < request.records_size(); ++i) {
        auto* result = response->add_results();
        const bool bad = request.records(i).record_id().starts_with("bad");
        result->set_status(bad ? v1::USAGE_RECORD_STATUS_REJECTED
                               : v1::USAGE_RECORD_STATUS_ACCEPTED);
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

  FakePriorityd fake_;
};

struct WrongCommandLine {
  std::vector<std::string> arguments;
  std::string says;
};

class WrongCommandLineTest : public ::testing::TestWithParam<WrongCommandLine> {};

TEST_P(WrongCommandLineTest, IsToldInOneLineWithExitStatusTwo) {
  const Finished run = RunPrioctl(GetParam().arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: "), HasSubstr(GetParam().says), IsOneLine()));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongCommandLineTest,
    ::testing::Values(WrongCommandLine{{}, "a command is required"},
                      WrongCommandLine{{"frobnicate"}, "frobnicate"},
                      WrongCommandLine{{"import"}, "a command is required"},
                      WrongCommandLine{{"import", "slurm-conf"}, "FILE is required"},
                      WrongCommandLine{{"rank", "-", "--colour"}, "--colour"},
                      WrongCommandLine{{"rank", "-", "--limit", "-1"}, "--limit"},
                      WrongCommandLine{{"rank", "-", "--as-of", "yesterday"}, "want RFC 3339"},
                      WrongCommandLine{{"record", "-", "--batch-size", "0"}, "1 to 100000"},
                      WrongCommandLine{{"policy", "show", "--timeout", "x"},
                                       "--timeout: got \"x\", want a number of at least 0"},
                      WrongCommandLine{{"cluster", "modify", "c", "--cpus", "-1"},
                                       "--cpus: got \"-1\", want a number of at least 0"},
                      WrongCommandLine{{"sprio", "-x"}, "-x"},
                      WrongCommandLine{{"queue"}, "a command is required"},
                      WrongCommandLine{{"queue", "remove"}, "JOBID is required"},
                      WrongCommandLine{{"cluster", "add", "c", "--tres", "cpu"}, "name=count"}));

TEST(PrioctlHelpTest, HelpAndVersionGoToStandardOutput) {
  for (const char* argument : {"--help", "--version"}) {
    const Finished run = RunPrioctl({argument});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, HasSubstr("prioctl"));
    EXPECT_EQ(run.err, "");
  }
  EXPECT_THAT(RunPrioctl({"rank", "--help"}).out, HasSubstr("--best-only"));
}

TEST_F(PrioctlTest, NobodyListeningNamesTheAddressAndTheRemedy) {
  const std::string address = FakePriorityd().address();  // Gone again.
  const Finished run = RunPrioctl({"--server", address, "policy", "show"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: no answer from priorityd at " + address),
                             HasSubstr("priorityd --listen=" + address), IsOneLine()));
}

TEST_F(PrioctlTest, AServiceWithoutItsDatabaseIsNotToldToBeAway) {
  google::rpc::ErrorInfo info;
  info.set_reason("DATABASE_UNAVAILABLE");
  google::rpc::Status rich;
  rich.add_details()->PackFrom(info);
  fake_.get_policy.Answer([&](const auto&, auto*) {
    return grpc::Status(grpc::UNAVAILABLE, "the database is away", rich.SerializeAsString());
  });
  const Finished run = Run({"policy", "show"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "prioctl: the database is away\n");
}

TEST_F(PrioctlTest, AFileThatIsNoTextIsRefusedWithItsLine) {
  struct Case {
    std::string bytes;
    std::string byte;
  };
  for (const Case& bad :
       {Case{"\xff", "ff"}, Case{"M\xfcller", "fc"}, Case{"\xc0\x80", "c0"},
        Case{"\xe0\x80\x80", "e0"}, Case{"\xed\xa0\x80", "ed"}, Case{"\xf4\x90\x80\x80", "f4"},
        Case{"\xe2\x82", "e2"}, Case{std::string(1, '\0'), "00"}}) {
    const std::string file = WriteFile("qos.txt", "Name|Priority\n\xc3\xa9|1\n" + bad.bytes);
    const Finished run = Run({"import", "qos", file});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.err, absl::StrCat("prioctl: ", file, " line 3: got the byte 0x", bad.byte,
                                    ", want UTF-8 text\n"));
  }
  EXPECT_TRUE(fake_.import.requests().empty());
}

TEST_F(PrioctlTest, ABadLineNamesFileAndLine) {
  const std::string file = WriteFile("jobs.jsonl", std::string(kTwoJobs) + "{\"jobID\": 3}\n");
  const Finished run = Run({"rank", file});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, absl::StrCat("prioctl: ", file, " line 3: unknown field \"jobID\"\n"));
  EXPECT_TRUE(fake_.rank_jobs.requests().empty());
}

TEST_F(PrioctlTest, RankAsksForWhatTheOptionsSay) {
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  ASSERT_EQ(Run({"rank", "-", "--as-of", "2026-11-20T13:07:11Z", "--limit", "5", "--best-only",
                 "--cluster", "orc"},
                kTwoJobs)
                .exit_code,
            0);
  const v1::RankJobsRequest request = fake_.rank_jobs.requests()[0];
  EXPECT_EQ(request.jobs().jobs_size(), 2);
  EXPECT_EQ(request.as_of().seconds(), 1795180031);
  EXPECT_EQ(request.limit(), 5);
  EXPECT_EQ(request.ineligible_limit(), 5);
  EXPECT_TRUE(request.best_only());
  EXPECT_EQ(request.cluster(), "orc");
  EXPECT_EQ(request.view(), v1::RANK_VIEW_BASIC);
}

void AnswerOneRow(FakePriorityd& fake) {
  fake.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    auto* row = response->add_ranked();
    row->set_job_id("2");
    row->set_partition("main");
    row->set_priority(16232);
    row->set_rank(1);
    row->set_best_of_job(true);
    row->mutable_factors()->set_age(0.25);
    row->mutable_contributions()->set_age(250);
    auto* ineligible = response->add_ineligible();
    ineligible->set_job_id("1");
    ineligible->set_reason("Dependency");
    ineligible->set_message("waits for job 7");
    return grpc::Status::OK;
  });
}

TEST_F(PrioctlTest, RankWithoutAFileIsOfTheTrackedQueue) {
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  ASSERT_EQ(Run({"rank"}).exit_code, 0);
  EXPECT_TRUE(fake_.rank_jobs.requests()[0].has_tracked());
}

TEST_F(PrioctlTest, SprioRefusesFieldsThatItDoesNotKnow) {
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"sprio", "-o", "%.5Z"}).err,
            "prioctl: --format: got field Z, want one of ABFJNPQSTYabfijnopqrtuy\n");
  EXPECT_EQ(Run({"sprio", "-S", "Z"}).exit_code, 1);
}

TEST_F(PrioctlTest, RankPrintsATable) {
  AnswerOneRow(fake_);
  const Finished run = Run({"rank", "-", "--explain"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("RANK"), HasSubstr("16232"), HasSubstr("FAIRSHARE"),
                             HasSubstr("Dependency"), HasSubstr("waits for job 7")));
  EXPECT_EQ(fake_.rank_jobs.requests()[0].view(), v1::RANK_VIEW_FULL);
}

TEST_F(PrioctlTest, JsonIsOneDocumentWithDefaultsAndFactors) {
  AnswerOneRow(fake_);
  const Finished run = Run({"rank", "-", "--json"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"running\":[]"));
  EXPECT_THAT(run.out, IsOneLine());
  v1::RankJobsResponse response;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &response).ok());
  EXPECT_EQ(response.ranked(0).factors().age(), 0.25);
  EXPECT_EQ(fake_.rank_jobs.requests()[0].view(), v1::RANK_VIEW_FULL);
}

TEST_F(PrioctlTest, AnErrorOfTheServiceIsOneLine) {
  fake_.rank_jobs.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::NOT_FOUND, "cluster: got\n\"x\""); });
  const Finished run = Run({"rank", "-"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "prioctl: cluster: got \"x\"\n");
}

TEST_F(PrioctlTest, ExplainPicksTheJob) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* response) {
    response->set_job_id("2");
    response->add_sentences("It waits for its turn.");
    return grpc::Status::OK;
  });
  const Finished run = Run({"explain", "-", "--job", "2", "--partition", "main"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("It waits for its turn."));
  EXPECT_EQ(fake_.explain.requests()[0].job_id(), "2");
  EXPECT_EQ(fake_.explain.requests()[0].partition(), "main");
}

TEST_F(PrioctlTest, ExplainComparesTwoJobsSideBySide) {
  fake_.explain.Answer([](const auto&, v1::ExplainPriorityResponse* response) {
    v1::Comparison* comparison = response->mutable_comparison();
    comparison->mutable_job()->set_job_id("1");
    comparison->mutable_compare_to()->set_job_id("2");
    comparison->add_sentences("Job 2 starts before job 1: its priority is higher.");
    v1::FactorComparison* age = comparison->add_factors();
    age->set_name("age");
    age->mutable_job()->set_contribution(100);
    age->mutable_compare_to()->set_contribution(350);
    age->set_difference(-250);
    v1::BranchShare* branch = comparison->mutable_branches()->mutable_job();
    branch->mutable_association()->set_account("chem");
    branch->set_usage(0.63);
    branch->set_shares(0.4);
    comparison->add_changes()->set_sentence("Waiting: job 1 comes first in 01:00:00.");
    return grpc::Status::OK;
  });
  const Finished run = Run({"explain", "-", "--job", "1", "--compare-to", "2",
                            "--compare-to-partition", "main", "--compare-to-qos", "high"},
                           kTwoJobs);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("compared to job 2"), HasSubstr("Job 2 starts before job 1"),
                    HasSubstr("JOB 2 POINTS"), HasSubstr("-250.00"), HasSubstr("chem"),
                    HasSubstr("63.0%"), HasSubstr("Waiting: job 1 comes first in 01:00:00.")));
  const v1::CompareTo asked = fake_.explain.requests()[0].compare_to();
  EXPECT_EQ(asked.job_id(), "2");
  EXPECT_EQ(asked.partition(), "main");
  EXPECT_EQ(asked.qos(), "high");
}

TEST_F(PrioctlTest, WithoutCompareToNothingIsCompared) {
  fake_.explain.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"explain", "-", "--job", "1"}, kTwoJobs).out, Not(HasSubstr("compared")));
  EXPECT_FALSE(fake_.explain.requests()[0].has_compare_to());
  EXPECT_EQ(Run({"explain", "-", "--compare-to-qos", "high"}, kTwoJobs).exit_code, 2);
}

TEST_F(PrioctlTest, PolicyLintPrintsRangesAndFindings) {
  fake_.lint_policy.Answer([](const auto&, v1::LintPolicyResponse* response) {
    v1::FactorRange* range = response->add_ranges();
    range->set_name("fair_share");
    range->set_highest_contribution(1000);
    range->set_range(1000);
    range->add_overturns("age");
    v1::PolicyFinding* finding = response->add_findings();
    finding->set_code("NO_WEIGHT");
    finding->set_message("No weight is set.");
    return grpc::Status::OK;
  });
  Finished run = Run({"policy", "lint"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("points possible"), HasSubstr("1000.00"), HasSubstr("age"),
                             HasSubstr("NO_WEIGHT: No weight is set.\n")));
  EXPECT_FALSE(fake_.lint_policy.requests()[0].has_jobs());
  run = Run({"policy", "lint", "-", "--json"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(IsOneLine(), HasSubstr("\"findings\":[{")));
  EXPECT_EQ(fake_.lint_policy.requests()[1].jobs().jobs_size(), 2);
}

TEST_F(PrioctlTest, RejectedRecordsAreNamedByTheirLineAndFailTheCommand) {
  RejectBadRecords();
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
  RejectBadRecords();
  const Finished run = Run({"record", "-"}, "{\"recordId\": \"1\"}\n");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, "1 accepted, 0 duplicate, 0 rejected\n");
}

TEST_F(PrioctlTest, TheLinesBeforeABadLineAreRecorded) {
  RejectBadRecords();
  const Finished run = Run({"record", "-"}, "{\"recordId\": \"1\"}\n{\"recordID\": \"2\"}\n");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "1 accepted, 0 duplicate, 0 rejected\n");
  EXPECT_EQ(run.err, "prioctl: standard input line 2: unknown field \"recordID\"\n");
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

TEST_F(PrioctlTest, ImportTellsWhenItTakesEffect) {
  fake_.import.Answer([](const v1::ImportRequest& request, v1::ImportResponse* response) {
    if (request.clean()) response->mutable_takes_effect_at()->set_seconds(1795181231);
    return grpc::Status::OK;
  });
  const std::string file = WriteFile("qos.txt", "Name|Priority\n");
  EXPECT_THAT(
      Run({"import", "qos", file, "--clean"}).out,
      EndsWith("takes effect at 2026-11-20T13:27:11Z; `prioctl recalculate` makes it now\n"));
  EXPECT_THAT(Run({"import", "qos", file}).out,
              EndsWith("takes effect with `prioctl recalculate`\n"));
  EXPECT_THAT(Run({"import", "qos", file, "--validate-only"}).out, Not(HasSubstr("takes effect")));
}

TEST_F(PrioctlTest, CalledUnderTheNamesOfSlurmsToolsItIsThem) {
  fake_.list_shares.Answer([](const auto&, v1::ListSharesResponse* response) {
    response->add_shares()->set_account("root");
    return grpc::Status::OK;
  });
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"-a", "-P", "-n"}, "", "sshare").out, StartsWith("root||"));
  EXPECT_THAT(Run({"-w", "-h"}, "", "sprio").out, StartsWith("        Weights "));
  EXPECT_THAT(RunPrioctl({"-x"}, "", "sshare").err, AllOf(StartsWith("sshare: "), IsOneLine()));
  EXPECT_THAT(RunPrioctl({"--help"}, "", "sshare").out, StartsWith("The association tree"));
  EXPECT_THAT(RunPrioctl({"--help"}, "", "sprio").out, StartsWith("The factors"));
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
            "TIME                 ACCOUNT USER RAWUSAGE FAIRSHARE\n"
            "2026-01-05T00:00:00Z physics          12.5 \n"
            "2026-01-05T00:00:00Z physics ann      12.5      0.25\n");
  const v1::ListShareHistoryRequest request = fake_.list_share_history.requests()[1];
  EXPECT_EQ(request.accounts(0), "physics");
  EXPECT_EQ(request.start_time().seconds(), 1767225600);
  EXPECT_EQ(request.page_token(), "next");
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
            "recalculated cluster orc, generation 7, computed at 2026-11-20T13:07:11Z, policy "
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
  const Finished compared = Run({"rebuild-usage", "--validate-only"});
  EXPECT_EQ(compared.exit_code, 1);
  EXPECT_THAT(compared.err, HasSubstr("1 rows differ from the ledger"));
}

TEST_F(PrioctlTest, PolicyShowNamesEveryParameterAsSlurmConfDoes) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* response) {
    response->set_version(3);
    response->mutable_parameters()->mutable_max_age()->set_seconds(600);
    response->mutable_parameters()->set_weight_fair_share(10000);
    return grpc::Status::OK;
  });
  const Finished run = Run({"policy", "show", "--version", "3"});
  EXPECT_EQ(fake_.get_policy.requests()[0].version(), 3);
  EXPECT_THAT(run.out, HasSubstr("PriorityMaxAge           00:10:00\n"));
  EXPECT_THAT(run.out, HasSubstr("PriorityWeightFairshare  10000\n"));
}

}  // namespace
}  // namespace priorityd
