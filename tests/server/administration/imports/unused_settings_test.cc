#include "server/administration/imports/unused_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::administration {
namespace {

using slurm::UnusedClass;
using slurm::UnusedSetting;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<UnusedSetting> Three() {
  return {{.place = "QOS fast",
           .name = "GraceTime",
           .value = "60",
           .unused_class = UnusedClass::kLimits,
           .effect = "Waits.",
           .places = 2},
          {.place = "slurm.conf line 3",
           .name = "DefMemPerCPU",
           .value = "4096",
           .unused_class = UnusedClass::kNumbers,
           .effect = "Fills."},
          {.place = "slurm.conf line 9",
           .name = "SlurmctldPort",
           .value = "6817",
           .unused_class = UnusedClass::kNoConsequence}};
}

std::vector<std::string> UnusedFields(const UnusedRules& rules) {
  errors::Violations violations;
  CheckUnused(Three(), rules, &violations);
  std::vector<std::string> fields;
  for (const errors::FieldViolation& violation : violations.kept()) {
    fields.push_back(violation.field);
  }
  return fields;
}

TEST(UnusedSettingsTest, TheRulesDecideWhichAreErrors) {
  EXPECT_THAT(UnusedFields({}), ElementsAre("slurm.conf line 3"));
  EXPECT_THAT(UnusedFields({.accept = {"DEFMEMPERCPU"}}), IsEmpty());
  EXPECT_THAT(UnusedFields({.strict = true}), ElementsAre("slurm.conf line 3", "QOS fast"));
  EXPECT_THAT(UnusedFields({.strict = true, .accept = {"*"}}), ElementsAre("QOS fast"));
}

TEST(UnusedSettingsTest, AnErrorNamesTheValueTheEffectAndTheWayOut) {
  errors::Violations violations;
  CheckUnused(Three(), {}, &violations);
  EXPECT_EQ(
      violations.kept()[0].description,
      "DefMemPerCPU: got \"4096\", which changes numbers in Slurm and not here, want none, or "
      "it accepted (--accept DefMemPerCPU). Fills.");
}

TEST(UnusedSettingsTest, WarningsNameTheFirstTwoClasses) {
  EXPECT_THAT(UnusedWarnings(Three()),
              ElementsAre("limit or refuse jobs in Slurm and not here: GraceTime (2)",
                          "change numbers in Slurm and not here: DefMemPerCPU"));
  EXPECT_THAT(UnusedWarnings({}), IsEmpty());
}

TEST(UnusedSettingsTest, LossesKeepTheirPlace) {
  errors::Violations violations;
  const std::vector<std::string> losses = {"qos.txt line 3: Flags: got \"X\""};
  AddLosses(losses, &violations);
  EXPECT_EQ(violations.kept()[0].field, "qos.txt line 3");
  EXPECT_THAT(violations.kept()[0].description, HasSubstr("Flags: got"));
}

}  // namespace
}  // namespace priorityd::administration
