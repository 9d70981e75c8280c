#include "engine/priority/jobs/tres_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "engine/priority/jobs/job_demand.h"

namespace priorityd::priority {
namespace {

const std::vector<std::string>& Names() {
  static const auto& names =
      *new std::vector<std::string>{"cpu", "mem", "node", "billing", "gres/gpu", "license/ansys"};
  return names;
}

TEST(TresReaderTest, EachJobHasWhatItWouldHaveAlone) {
  std::mt19937_64 random(3);
  // As jobs name them: in another case, and some that nobody reads.
  std::vector<std::string> given = Names();
  for (const std::string& name : Names()) given.push_back(absl::AsciiStrToUpper(name));
  given.push_back("gres/shard");
  TresReader reader(Names());
  for (int i = 0; i < 2000; ++i) {
    Job job;
    job.nodes = random() % 4;
    job.cpus = static_cast<double>(random() % 9);
    // Neighbours, so that each is there once, whatever its case.
    const size_t first = random() % given.size();
    for (size_t k = 0; k < random() % 6; ++k) {
      job.tres.emplace_back(given[(first + k) % given.size()], static_cast<double>(random() % 100));
    }
    JobDefaults defaults;
    DefaultMemory& memory = defaults.memory;
    if (random() % 2 == 0) (random() % 2 == 0 ? memory.per_cpu : memory.per_node) = 7;
    if (random() % 3 == 0) defaults.memory_per_gpu = 5;
    if (random() % 3 == 0) defaults.cpus_per_gpu = 2;
    if (random() % 3 == 0) defaults.max_memory_per_cpu = 3;
    const absl::Span<const double> counts = reader.Read(job, defaults);
    ASSERT_EQ(counts.size(), Names().size());
    for (size_t column = 0; column < counts.size(); ++column) {
      ASSERT_EQ(counts[column], TresCountOf(job, Names()[column], defaults)) << Names()[column];
    }
  }
}

// Also of a TRES that no other name reads, and beside a sum whose terms are names.
TEST(TresReaderTest, ASumHasItsTermsTimesTheirWeights) {
  const std::vector<std::string> names = {"cpu=1,gres/gpu=20,mem=0.5", "cpu", "node=3"};
  TresReader reader(names);
  Job job;
  job.cpus = 4;
  job.nodes = 2;
  job.tres = {{"GRES/gpu", 3}, {"mem", 100}};
  for (int i = 0; i < 2; ++i) {
    const absl::Span<const double> counts = reader.Read(job);
    ASSERT_EQ(counts.size(), names.size());
    EXPECT_EQ(counts[0], 4 + 3 * 20 + 50);
    EXPECT_EQ(counts[1], 4);
    EXPECT_EQ(counts[2], 6);
  }
  EXPECT_EQ(reader.Read(Job())[0], 0);
}

}  // namespace
}  // namespace priorityd::priority
