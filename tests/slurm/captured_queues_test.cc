// Twelve queues of a real Slurm, in which half of the jobs name neither a partition nor a QOS, are
// sent to priorityd as a frontend sends them: squeue, sinfo, scontrol and sacct print equal tables.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/slurm/captured_site.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

using Lines = std::vector<std::string>;
using Words = std::map<std::string, std::string>;

constexpr char kRecords[] = "--format=JobIDRaw,User,Account";  // Of the sacct that is imported.

// A queue: its jobs as JSON Lines, and what Slurm's tools printed of it.
struct Queue {
  std::string cluster;
  std::string jobs;
  std::vector<TranscriptEntry> asked;
};

std::vector<Queue> Queues() {
  std::vector<Queue> queues;
  for (TranscriptEntry& entry : ReadTranscript("queues.txt.gz")) {
    if (absl::StartsWith(entry.command, "jobs ")) {
      queues.push_back({absl::StrCat("queue", queues.size() + 1), entry.out, {}});
    } else {
      queues.back().asked.push_back(std::move(entry));
    }
  }
  return queues;
}

std::string OfSite(const std::string& command) {
  for (const TranscriptEntry& entry : ReadTranscript("queues_site.txt")) {
    if (absl::StartsWith(entry.command, command)) return entry.out;
  }
  ADD_FAILURE() << "not captured: " << command;
  return "";
}

Finished RunOn(const std::string& cluster, const std::string& tool, const Lines& arguments,
               const std::string& in = "") {
  Lines all = {"--server", SharedPriorityd().address(), "--cluster", cluster};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return RunPrioctl(all, in, tool);
}

void Must(const std::string& cluster, const Lines& arguments, const std::string& in = "") {
  const Finished run = RunOn(cluster, "prioctl", arguments, in);
  EXPECT_EQ(run.exit_code, 0) << absl::StrJoin(arguments, " ") << ": " << run.err;
}

void Import(const std::string& cluster, const std::string& kind, const std::string& content) {
  Must(cluster, {"import", kind, WriteFile(absl::StrCat(cluster, ".", kind), content)});
}

void BuildSite(const std::string& cluster) {
  const auto named = [&](const std::string& text) {
    return absl::StrReplaceAll(text,
                               {{"ClusterName=lab", absl::StrCat("ClusterName=", cluster)},
                                {"Cluster - 'lab'", absl::StrCat("Cluster - '", cluster, "'")}});
  };
  Import(cluster, "slurm-conf", named(OfSite("cat $SLURM_CONF")));
  Import(cluster, "qos", OfSite("sacctmgr -P show qos"));
  Import(cluster, "sacctmgr", named(OfSite("sacctmgr dump lab")));
  Import(cluster, "sshare", OfSite("sshare -a -m -P"));
  Must(cluster, {"recalculate"});
}

// What differs by intent is made equal: which reason a job has that only waits for its turn depends
// on how far slurmctld's last pass came.
std::string Comparable(const std::string& line) {
  return absl::StrReplaceAll(
      line, {{"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
              "partitions",
              "Priority"},
             {"Resources", "Priority"},
             {"None", "Priority"}});
}

// The lines of a table without the one with the date, and without the column TIME, which goes on.
Lines TableLines(const std::string& text) {
  Lines lines = absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  if (lines.size() > 1 && !absl::StrContains(lines[0], " TIME ") &&
      absl::StrContains(lines[1], " TIME ")) {
    lines.erase(lines.begin());
  }
  const size_t header = lines[0].find(" TIME ");
  for (std::string& line : lines) {
    if (header != std::string::npos) line.erase(header + 5 - 10, 10);
    line = Comparable(line);
  }
  return lines;
}

// `Name=value` words of a record.
Words WordsOf(absl::string_view line) {
  Words words;
  for (const absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> sides = absl::StrSplit(word, absl::MaxSplits('=', 1));
    words.insert(sides);
  }
  return words;
}

// Words of a job that priorityd has alone, that go on with time or are of the host, or that are
// slurmctld's own: when it plans to start a job, ranges of nodes, and what a job is billed.
bool IsComparable(const std::string& word, const Words& job) {
  for (const char* own :
       {"Place", "SiteFactor", "Reservation", "Source", "RunTime", "UserId", "NumNodes", "TRES"}) {
    if (word == own) return false;
  }
  const bool waits = job.at("JobState") == "PENDING";
  if (word == "StartTime" || word == "EndTime") return !waits;
  return word != "Priority" || waits;
}

// scontrol writes reasons with `_` for blanks.
std::string Spaced(const std::string& text) { return absl::StrReplaceAll(text, {{"_", " "}}); }

void ExpectSameJob(const std::string& got, const std::string& want) {
  const Words ours = WordsOf(absl::StripSuffix(got, "\n"));
  const Words theirs = WordsOf(absl::StripSuffix(want, "\n"));
  ASSERT_GT(ours.size(), 20) << got;
  for (const auto& [word, value] : ours) {
    if (!IsComparable(word, theirs)) continue;
    const auto found = theirs.find(word);
    ASSERT_NE(found, theirs.end()) << word;
    EXPECT_EQ(Comparable(Spaced(value)), Comparable(Spaced(found->second))) << word;
  }
}

// Without CfgTRES: billing of a node is slurmctld's.
void ExpectSameNodes(const std::string& got, const std::string& want) {
  const Lines ours = absl::StrSplit(got, '\n', absl::SkipEmpty());
  const Lines theirs = absl::StrSplit(want, '\n', absl::SkipEmpty());
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    const Words node = WordsOf(theirs[i]);
    for (const auto& [word, value] : WordsOf(ours[i])) {
      if (word == "CfgTRES") continue;
      ASSERT_TRUE(node.contains(word)) << word;
      EXPECT_EQ(value, node.at(word)) << word;
    }
  }
}

// squeue leaves the order of jobs that are equal by its keys open, sinfo -N that of the partitions
// of a node: it is not the same in all captures.
void ExpectSameTable(const std::string& command, const std::string& got, const std::string& want) {
  const bool is_queue = absl::StartsWith(command, "squeue") && !absl::StrContains(command, "-S i");
  if (is_queue || absl::StartsWith(command, "sinfo -N")) {
    EXPECT_THAT(TableLines(got), testing::UnorderedElementsAreArray(TableLines(want)));
  } else {
    EXPECT_EQ(TableLines(got), TableLines(want));
  }
}

// sacct here has only jobs that have ended, and no -s.
Lines Typed(const std::string& command) {
  Lines words = CommandWords(command);
  const auto states = std::find(words.begin(), words.end(), "-s");
  if (words[0] == "sacct" && states != words.end()) words.erase(states, states + 2);
  return words;
}

void Compare(const std::string& cluster, const TranscriptEntry& entry) {
  SCOPED_TRACE(absl::StrCat(cluster, ": ", entry.command));
  Lines words = Typed(entry.command);
  const std::string tool = words[0];
  words.erase(words.begin());
  const Finished run = RunOn(cluster, tool, words);
  EXPECT_EQ(run.exit_code, entry.status) << run.err;
  if (absl::StrContains(entry.command, "show job")) {
    ExpectSameJob(run.out, entry.out);
  } else if (absl::StrContains(entry.command, "show node")) {
    ExpectSameNodes(run.out, entry.out);
  } else {
    ExpectSameTable(entry.command, run.out, entry.out);
  }
}

TEST(CapturedQueues, EachTableIsThatOfTheRealTools) {
  const std::vector<Queue> queues = Queues();
  ASSERT_EQ(queues.size(), 12);
  for (const Queue& queue : queues) {
    BuildSite(queue.cluster);
    Must(queue.cluster, {"queue", "update", "-"}, queue.jobs);
    for (const TranscriptEntry& entry : queue.asked) {
      if (absl::StrContains(entry.command, kRecords)) Import(queue.cluster, "sacct", entry.out);
    }
    for (const TranscriptEntry& entry : queue.asked) {
      if (!absl::StrContains(entry.command, kRecords)) Compare(queue.cluster, entry);
    }
  }
}

TEST(CapturedQueues, HalfOfTheJobsNameNeitherPartitionNorQos) {
  for (const Queue& queue : Queues()) {
    const Lines jobs = absl::StrSplit(queue.jobs, '\n', absl::SkipEmpty());
    EXPECT_EQ(jobs.size(), 12);
    EXPECT_EQ(std::count_if(jobs.begin(), jobs.end(),
                            [](const std::string& job) {
                              return !absl::StrContains(job, "\"partitions\"") &&
                                     !absl::StrContains(job, "\"qos\"");
                            }),
              6);
  }
}

}  // namespace
}  // namespace priorityd
