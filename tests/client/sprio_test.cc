#include "client/prioctl/sprio.h"

#include <fstream>
#include <sstream>

#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

using priority::v1::PolicyParameters;

std::string ReadCaptured(const std::string& name) {
  std::ifstream file("tests/client/captured/" + name);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string Print(const PolicyParameters& parameters, bool header = true) {
  std::ostringstream out;
  PrintWeights(parameters, header, out);
  return out.str();
}

PolicyParameters AllWeights() {
  PolicyParameters parameters;
  parameters.set_weight_age(1000);
  parameters.set_weight_assoc(2000);
  parameters.set_weight_fair_share(10000);
  parameters.set_weight_job_size(3000);
  parameters.set_weight_partition(4000);
  parameters.set_weight_qos(5000);
  (*parameters.mutable_weight_tres())["cpu"] = 1000;
  parameters.set_weight_tres_text("CPU=1000,Mem=2000,Node=300,GRES/gpu=500,Billing=700");
  return parameters;
}

TEST(SprioTest, WeightsAreSlurmsByteForByte) {
  EXPECT_EQ(Print(AllWeights()), ReadCaptured("base.sprio_w"));
}

TEST(SprioTest, SmallWeightsAreRightAligned) {
  PolicyParameters parameters = AllWeights();
  parameters.set_weight_assoc(2);
  parameters.set_weight_partition(4);
  parameters.set_weight_qos(5);
  parameters.set_weight_tres_text("CPU=10,Mem=2,Node=30,GRES/gpu=500,Billing=7");
  EXPECT_EQ(Print(parameters), ReadCaptured("no_normal_all.sprio_w"));
}

TEST(SprioTest, FactorsWithoutWeightHaveNoColumn) {
  EXPECT_EQ(Print(PolicyParameters()), ReadCaptured("weights_zero.sprio_w"));
}

TEST(SprioTest, NoHeaderLeavesOneLine) {
  const std::string captured = ReadCaptured("base.sprio_w");
  EXPECT_EQ(Print(AllWeights(), false), captured.substr(captured.find('\n') + 1));
}

}  // namespace
}  // namespace priorityd::prioctl
