// Tokens that a real Slurm issued: Debian's 22.05.8, on 2026-11-22 at 08:42:07 UTC, by
// `scontrol token username=NAME lifespan=3600` with AuthAltTypes=auth/jwt and this jwt_key.
#ifndef PRIORITYD_TESTS_SERVER_IDENTITY_SLURM_TOKENS_H_
#define PRIORITYD_TESTS_SERVER_IDENTITY_SLURM_TOKENS_H_

#include <string>

#include "absl/strings/escaping.h"
#include "absl/time/time.h"

namespace priorityd::identity {

inline std::string SlurmKey() {
  return absl::HexStringToBytes("4b4d0b1fdf1475d89bdcc44cf781faa30b08fe3d5e9e2c244a06471e4e5eb399");
}

inline constexpr char kSlurmTokenOfAnn[] =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJleHAiOjE3OTUzNDA1MjcsImlhdCI6MTc5NTMzNjkyNywic3VuIjoiYW5uIn0."
    "kabb0oK4bDRJUymsoHSxF_iBb7DG4VZ4j8BcWYwI9O8";
inline constexpr char kSlurmTokenOfRoot[] =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJleHAiOjE3OTUzNDA1MjcsImlhdCI6MTc5NTMzNjkyNywic3VuIjoicm9vdCJ9."
    "JInsLkHWfezhbSSNw2uabyyl_bdFYhtooO-NUFlzf00";

// When both hold, and when they expire.
inline absl::Time WhileSlurmTokensHold() { return absl::FromUnixSeconds(1795337000); }
inline absl::Time SlurmTokensExpire() { return absl::FromUnixSeconds(1795340527); }

}  // namespace priorityd::identity

#endif  // PRIORITYD_TESTS_SERVER_IDENTITY_SLURM_TOKENS_H_
