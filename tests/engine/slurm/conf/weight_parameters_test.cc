#include "engine/slurm/conf/weight_parameters.h"

#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

TEST(WeightParametersTest, TresWeightsAreWrittenByCanonicalNamesToTheLastDigit) {
  const priority::Policy policy = PolicyOf("PriorityWeightTRES=Mem=-4.5,GRES/gpu=1234567,CPU=0.1");
  EXPECT_EQ(WriteWeightTres(policy), "cpu=0.1,gres/gpu=1234567,mem=-4.5");
  EXPECT_EQ(policy.weight_tres_text, "Mem=-4.5,GRES/gpu=1234567,CPU=0.1");
}

TEST(WeightParametersTest, AWeightIsAnyNumberOf32Bits) {
  EXPECT_EQ(PolicyOf("PriorityWeightQOS=4294967295").weight_qos, 4294967295u);
  EXPECT_EQ(WriteWeight<&priority::Policy::weight_qos>(PolicyOf("PriorityWeightQOS=007")), "7");
}

}  // namespace
}  // namespace priorityd::slurm
