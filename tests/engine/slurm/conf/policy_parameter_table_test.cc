#include "engine/slurm/conf/policy_parameter_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::EndsWith;
using testing::SizeIs;

// Values of a parameter, and the one text that is written for each.
struct Examples {
  std::map<std::string, std::string> written;
  // A value that is refused, and why; empty = none is.
  std::string bad;
  std::string error;
};

Examples Weight() {
  return {{{"0", "0"}, {"1000", "1000"}, {"007", "7"}, {"4294967295", "4294967295"}},
          "-1",
          "got \"-1\", want a whole number from 0 to 4294967295"};
}

constexpr char kTimes[] = "want a time (min, min:sec, h:m:s, d-h, d-h:m, d-h:m:s or UNLIMITED)";

const std::map<std::string, Examples>& AllExamples() {
  static const auto* const kExamples = new std::map<std::string, Examples>{
      {"PriorityType",
       {{{"priority/basic", "priority/basic"}, {"Priority/Multifactor", "priority/multifactor"}},
        "priority/luck",
        "got \"priority/luck\", want priority/multifactor or priority/basic"}},
      {"PriorityDecayHalfLife",
       {{{"14-0", "14-00:00:00"}, {"90", "01:30:00"}, {"0", "0"}, {"INFINITE", "0"}, {"0-0", "0"}},
        "soon",
        absl::StrCat("got \"soon\", ", kTimes)}},
      {"PriorityCalcPeriod",
       {{{"1", "00:01:00"}, {"0:90", "00:02:00"}, {"2-0", "2-00:00:00"}},
        "0",
        "got \"0\", want at least 1 (minute)"}},
      {"PriorityUsageResetPeriod",
       {{{"none", "NONE"},
         {"NOW", "NOW"},
         {"DAILY", "DAILY"},
         {"Weekly", "WEEKLY"},
         {"MONTHLY", "MONTHLY"},
         {"QUARTERLY", "QUARTERLY"},
         {"YEARLY", "YEARLY"},
         {"28-0", "28-00:00:00"},
         {"90:30", "0-01:30:30"}},
        "HOURLY",
        "got \"HOURLY\", want NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY or an interval "
        "above 0 such as 28-0"}},
      {"PriorityFavorSmall",
       {{{"YES", "YES"}, {"no", "NO"}, {"true", "YES"}, {"FALSE", "NO"}, {"1", "YES"}, {"0", "NO"}},
        "maybe",
        "got \"maybe\", want YES or NO"}},
      {"PriorityMaxAge",
       {{{"0", "00:00:00"}, {"1-0", "1-00:00:00"}, {"30", "00:30:00"}, {"INFINITE", "UNLIMITED"}},
        "soon",
        absl::StrCat("got \"soon\", ", kTimes)}},
      {"PriorityWeightAge", Weight()},
      {"PriorityWeightAssoc", Weight()},
      {"PriorityWeightFairshare", Weight()},
      {"PriorityWeightJobSize", Weight()},
      {"PriorityWeightPartition", Weight()},
      {"PriorityWeightQOS", Weight()},
      {"PriorityWeightTRES",
       {{{"CPU=2000,Mem=-4.5", "cpu=2000,mem=-4.5"},
         {"cpu=800,mem=-100M", "cpu=800,mem=-100"},
         {"GRES/gpu=0.1,cpu=1234567", "cpu=1234567,gres/gpu=0.1"},
         {"", ""}},
        "cpu=much",
        "got \"cpu=much\", want cpu=a number, perhaps with a suffix K, M, G, T or P"}},
      {"FairShareDampeningFactor",
       {{{"1", "1"}, {"2.50", "2.5"}, {"1234567.5", "1234567.5"}},
        "0.5",
        "got \"0.5\", want a number of at least 1"}},
      {"PriorityFlags",
       {{{"", ""},
         {"incr_only, ACCRUE_ALWAYS", "ACCRUE_ALWAYS,INCR_ONLY"},
         {"CALCULATE_RUNNING,MAX_TRES,MAX_TRES_GRES,SMALL_RELATIVE_TO_TIME",
          "CALCULATE_RUNNING,MAX_TRES,MAX_TRES_GRES,SMALL_RELATIVE_TO_TIME"},
         {"NO_NORMAL_ALL", "NO_NORMAL_ASSOC,NO_NORMAL_PART,NO_NORMAL_QOS,NO_NORMAL_TRES"},
         {"NO_FAIR_TREE", "NO_FAIR_TREE"},
         {"NO_FAIR_TREE,DEPTH_OBLIVIOUS", "DEPTH_OBLIVIOUS"}},
        "",
        ""}},
      {"FairShareAlgorithm",
       {{{"fair_tree", "fair_tree"},
         {"Classic", "classic"},
         {"depth_oblivious", "depth_oblivious"},
         {"LINEAR", "linear"}},
        "best",
        "got \"best\", want fair_tree, classic, depth_oblivious or linear"}},
      {"FairTreeTies",
       {{{"merge", "merge"}, {"SLURM", "slurm"}}, "flip", "got \"flip\", want merge or slurm"}},
      {"PreemptType",
       {{{"preempt/none", "preempt/none"},
         {"preempt/QOS", "preempt/qos"},
         {"preempt/partition_prio", "preempt/partition_prio"}},
        "preempt/luck",
        "got \"preempt/luck\", want preempt/none, preempt/qos or preempt/partition_prio"}},
      {"PreemptMode",
       {{{"off", "OFF"},
         {"Cancel", "CANCEL"},
         {"suspend, Gang", "GANG,SUSPEND"},
         {"requeue,within", "WITHIN,REQUEUE"}},
        "SUSPEND,kill",
        "got \"kill\", want OFF, CANCEL, GANG, PRIORITY, REQUEUE, SUSPEND or WITHIN"}},
      {"PreemptExemptTime",
       {{{"0", "00:00:00"}, {"-1", "00:00:00"}, {"90", "01:30:00"}, {"1-0:0:5", "1-00:00:05"}},
        "soon",
        absl::StrCat("got \"soon\", ", kTimes)}},
      {"PreemptParameters",
       {{{"", ""},
         {"Youngest_first,min_exempt_priority=9", "min_exempt_priority=9,youngest_first"},
         {"reclaim_licenses,strict_order", "reclaim_licenses"}},
        "min_exempt_priority=high",
        "got \"min_exempt_priority=high\", want min_exempt_priority=NUMBER"}},
      {"SchedulerType",
       {{{"sched/builtin", "sched/builtin"}, {"SCHED/Backfill", "sched/backfill"}}, "", ""}},
      {"SchedulerParameters",
       {{{"bf_window=60,BF_max_job_test=9,defer", "bf_max_job_test=9,bf_window=60"},
         {"max_job_bf=1200", "bf_max_job_test=1200"},
         {"defer", ""}},
        "",
        ""}},
      {"PartitionNodeCaps",
       {{{"b=2,a=10", "a=10,b=2"}, {"", ""}},
        "a=many",
        "got \"a=many\", want numbers of nodes by partition such as owner1=8,owner2=4"}},
      {"JobRequeue", {{{"0", "0"}, {"1", "1"}}, "perhaps", "got \"perhaps\", want 1 or 0"}},
      {"MinJobAge",
       {{{"2", "2"}, {"3600", "3600"}, {"0", "86400"}, {"4294967295", "86400"}},
        "-1",
        "got \"-1\", want seconds; 0 and more than 86400 are 86400"}},
      {"PrivateData",
       {{{"", ""},
         {"none", ""},
         {"jobs", "jobs"},
         {"Users, jobs,USAGE", "jobs,usage,users"},
         {"cloud,events,accounts", "accounts,cloud,events"},
         {"all", "accounts,cloud,events,jobs,nodes,partitions,reservations,usage,users"}},
        "",
        ""}},
      {"PrioritySiteFactorPlugin",
       {{{"", ""}, {"site_factor/none", ""}, {"Site:7412", "Site:7412"}, {"[::1]:1", "[::1]:1"}},
        "example",
        "got \"example\", want host:port of a SiteFactor service"}},
      {"PrioritySiteFactorParameters",
       {{{"", ""},
         {"queue=gpu, b", "queue=gpu, b"},
         {"Timeout=2s,queue=gpu", "queue=gpu,timeout=2"},
         {"timeout=0.0015", "timeout=0.0015"},
         {"say \"a\\b\" # c,timeout=5", "say \"a\\b\" # c"}},
        "a,timeout=1h",
        "got \"timeout=1h\", want timeout= with seconds from 0.001 to 300, such as timeout=5s"}},
      {"AccountingStorageEnforce",
       {{{"", ""},
         {"none", "none"},
         {"Limits", "associations,limits"},
         {"qos,safe", "associations,limits,qos,safe"},
         {"all", "associations,limits,qos,safe"}},
        "limits,sometimes",
        "got \"sometimes\", want associations, limits, qos, safe, nojobs, nosteps, wckeys, all or "
        "none"}},
      {"EnforcePartLimits",
       {{{"", ""}, {"no", "NO"}, {"any", "ANY"}, {"ALL", "ALL"}, {"yes", "ANY"}},
        "maybe",
        "got \"maybe\", want NO, ANY or ALL"}},
      {"MaxArraySize",
       {{{"", ""}, {"500000", "500000"}, {"0", "0"}, {"4000001", "4000001"}},
        "4000002",
        "got \"4000002\", want a number from 0 (no arrays) to 4000001"}},
      {"MaxJobCount",
       {{{"", ""},
         {"10000", "10000"},
         {"10K", "10240"},
         {"UNLIMITED", "67043328"},
         {"4294967294", "67043328"}},
        "0",
        "got \"0\", want a number of at least 1; UNLIMITED and more than 67043328 are 67043328"}},
      {"DefMemPerCPU",
       {{{"", ""}, {"4096", "4096"}, {"2K", "2048"}, {"0", ""}, {"unlimited", ""}},
        "4G",
        "got \"4G\", want MB from 0 (none) to 4294967294, or UNLIMITED"}},
      {"DefMemPerNode",
       {{{"", ""}, {"4096", "4096"}, {"2K", "2048"}, {"0", ""}, {"unlimited", ""}},
        "4G",
        "got \"4G\", want MB from 0 (none) to 4294967294, or UNLIMITED"}},
      {"DefMemPerGPU",
       {{{"", ""}, {"4096", "4096"}, {"0", ""}},
        "4G",
        "got \"4G\", want MB from 0 (none) to 4294967294, or UNLIMITED"}},
      {"DefCpuPerGPU",
       {{{"", ""}, {"6", "6"}, {"0", ""}},
        "six",
        "got \"six\", want a number of CPUs; 0 for none"}},
      {"MaxMemPerCPU",
       {{{"", ""}, {"4096", "4096"}, {"2K", "2048"}, {"0", ""}},
        "4G",
        "got \"4G\", want MB from 0 (none) to 4294967294, or UNLIMITED"}},
      {"DisableRootJobs",
       {{{"YES", "YES"}, {"no", "NO"}}, "maybe", "got \"maybe\", want YES or NO"}},
      {"PurgeJobAfter",
       {{{"12", "12months"}, {"1Day", "1days"}, {"48hours", "48hours"}, {"-1", "INFINITE"}},
        "0",
        "got \"0\", want a number of months or an age such as 48hours, 30days or 12months, or "
        "INFINITE"}},
      {"UsageReplacement",
       {{{"Recorder", "recorder"}, {"collectors", "collectors"}},
        "all",
        "got \"all\", want recorder or collectors"}},
      {"UsageFromJobEnd",
       {{{"1", "YES"}, {"no", "NO"}}, "perhaps", "got \"perhaps\", want YES or NO"}},
      {"ChargeAtStart",
       {{{"yes", "YES"}, {"0", "NO"}, {"40%", "40%"}, {"100%", "YES"}, {"12.5%", "12.5%"}},
        "101%",
        "got \"101%\", want YES, NO or a part such as 40%"}},
      {"UsageHeadroom",
       {{{"10", "10"}, {"1.5", "1.5"}, {"0", "UNLIMITED"}, {"unlimited", "UNLIMITED"}},
        "-1",
        "got \"-1\", want a number above 0, or 0 or UNLIMITED for no bound"}},
      {"TimeZone",
       {{{"Europe/Berlin", "Europe/Berlin"}, {"UTC", "UTC"}},
        "Mars/Base",
        "got \"Mars/Base\", want an IANA time zone such as Europe/Berlin"}},
      {"Clock",
       {{{"real", "real"}, {"Manual", "manual"}}, "fast", "got \"fast\", want real or manual"}},
  };
  return *kExamples;
}

// A line of slurm.conf, its value in quotes.
std::string LineOf(absl::string_view name, absl::string_view value) {
  return absl::StrCat(name, "=\"", absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\"", "\\\""}}),
                      "\"\n");
}

// The policy that the parameter makes alone. A half-life of 0 wants a reset period.
priority::Policy PolicyWith(absl::string_view name, absl::string_view value) {
  const bool half_life = name == "PriorityDecayHalfLife";
  priority::Policy policy = PolicyOf(
      absl::StrCat(LineOf(name, value), half_life ? "PriorityUsageResetPeriod=NONE\n" : ""));
  // It is as the file has it, not what it means.
  policy.weight_tres_text.clear();
  return policy;
}

// All parameters as they are written.
std::string TextOf(const priority::Policy& policy) {
  std::string text;
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    // The machine's zone has no name that could be read.
    if (parameter.name == "TimeZone" && policy.time_zone == absl::LocalTimeZone()) continue;
    absl::StrAppend(&text, LineOf(parameter.name, parameter.write(policy)));
  }
  return text;
}

TEST(PolicyParameterTableTest, EveryParameterHasExamplesHere) {
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    EXPECT_TRUE(AllExamples().contains(std::string(parameter.name))) << parameter.name;
  }
  EXPECT_THAT(AllExamples(), SizeIs(PolicyParameterTable().size()));
}

TEST(PolicyParameterTableTest, WhatIsWrittenReadsBackAsTheSamePolicyAndTheSameText) {
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    const Examples& examples = AllExamples().at(std::string(parameter.name));
    for (const auto& [value, written] : examples.written) {
      const priority::Policy policy = PolicyWith(parameter.name, value);
      EXPECT_EQ(parameter.write(policy), written) << parameter.name << "=" << value;
      const priority::Policy again = PolicyWith(parameter.name, written);
      EXPECT_TRUE(again == policy) << parameter.name << "=" << value;
      EXPECT_EQ(parameter.write(again), written) << parameter.name << "=" << value;
    }
  }
}

TEST(PolicyParameterTableTest, AllParametersTogetherMakeTheSamePolicyAgain) {
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    const Examples& examples = AllExamples().at(std::string(parameter.name));
    for (const auto& [value, written] : examples.written) {
      const priority::Policy policy = PolicyWith(parameter.name, value);
      priority::Policy again = PolicyOf(TextOf(policy));
      again.weight_tres_text.clear();
      EXPECT_TRUE(again == policy) << parameter.name << "=" << value << "\n" << TextOf(policy);
    }
  }
}

TEST(PolicyParameterTableTest, DefaultsAreThoseOfAPolicy) {
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    if (parameter.name == "TimeZone") continue;
    EXPECT_EQ(parameter.write(priority::Policy()), parameter.default_value) << parameter.name;
  }
  EXPECT_EQ(FindPolicyParameter("TimeZone")->write(priority::Policy()),
            absl::LocalTimeZone().name());
}

TEST(PolicyParameterTableTest, MalformedValuesAreRefusedWithTheirLine) {
  for (const auto& [name, examples] : AllExamples()) {
    if (examples.bad.empty()) continue;
    EXPECT_EQ(ErrorOf(LineOf(name, examples.bad)),
              absl::StrCat("slurm.conf line 1: ", name, ": ", examples.error));
  }
}

TEST(PolicyParameterTableTest, NamesAreFoundInAnyCaseAndOnlyOnce) {
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    EXPECT_EQ(FindPolicyParameter(absl::AsciiStrToUpper(parameter.name)), &parameter);
    EXPECT_THAT(std::string(parameter.description), EndsWith(".")) << parameter.name;
    EXPECT_NE(parameter.values, "") << parameter.name;
  }
  EXPECT_EQ(FindPolicyParameter("PriorityWeigthAge"), nullptr);
  EXPECT_EQ(FindPolicyParameter(""), nullptr);
}

// The table of docs/semantics.md.

constexpr char kPage[] = "docs/semantics.md";
constexpr char kBegin[] = "<!-- policy parameters, generated: begin -->\n";
constexpr char kEnd[] = "<!-- policy parameters, generated: end -->\n";

std::string Cell(absl::string_view text) {
  return text.empty() ? std::string("-") : absl::StrReplaceAll(text, {{"|", "\\|"}});
}

std::string Markdown() {
  std::string text = "| parameter | default | values | meaning |\n|---|---|---|---|\n";
  for (const PolicyParameter& parameter : PolicyParameterTable()) {
    absl::StrAppend(&text, "| ", parameter.name, " | ", Cell(parameter.default_value), " | ",
                    Cell(parameter.values), " | ", Cell(parameter.description), " |\n");
  }
  return text;
}

// Where the generated part of the page begins and how long it is.
struct Part {
  size_t begin = 0;
  size_t size = 0;
};

Part GeneratedPart(const std::string& page) {
  const size_t begin = page.find(kBegin);
  const size_t end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << kPage << " has not the lines\n" << kBegin << kEnd;
    return {};
  }
  const size_t first = begin + sizeof(kBegin) - 1;
  return {first, end - first};
}

std::string ReadPage(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

TEST(PolicyParameterTableTest, TheDocumentHasTheTable) {
  // Set by `bazel run`: the source tree.
  if (const char* tree = std::getenv("BUILD_WORKSPACE_DIRECTORY"); tree != nullptr) {
    const std::string path = absl::StrCat(tree, "/", kPage);
    std::string page = ReadPage(path);
    const Part part = GeneratedPart(page);
    page.replace(part.begin, part.size, Markdown());
    std::ofstream(path, std::ios::binary) << page;
    return;
  }
  const std::string page = ReadPage(kPage);
  const Part part = GeneratedPart(page);
  EXPECT_EQ(page.substr(part.begin, part.size), Markdown())
      << "to write it again: bazel run -c opt //tests/engine/slurm/conf:conf_test -- "
         "--gtest_filter=PolicyParameterTableTest.TheDocumentHasTheTable";
}

}  // namespace
}  // namespace priorityd::slurm
