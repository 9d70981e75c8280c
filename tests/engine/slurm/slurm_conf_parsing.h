// Reads a slurm.conf that a test writes.
#ifndef PRIORITYD_TESTS_ENGINE_SLURM_SLURM_CONF_PARSING_H_
#define PRIORITYD_TESTS_ENGINE_SLURM_SLURM_CONF_PARSING_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/slurm/conf/slurm_conf.h"

namespace priorityd::slurm {

inline absl::StatusOr<SlurmConf> Parse(const std::string& text) {
  const SourceFile file{"slurm.conf", text};
  return ParseSlurmConf({file});
}

inline SlurmConf Parsed(const std::string& text) {
  absl::StatusOr<SlurmConf> conf = Parse(text);
  EXPECT_TRUE(conf.ok()) << conf.status() << "\n" << text;
  return conf.ok() ? *std::move(conf) : SlurmConf();
}

}  // namespace priorityd::slurm

#endif  // PRIORITYD_TESTS_ENGINE_SLURM_SLURM_CONF_PARSING_H_
