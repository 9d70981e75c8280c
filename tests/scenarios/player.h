// Plays a scenario and reports where it did not go as written.
#ifndef PRIORITYD_TESTS_SCENARIOS_PLAYER_H_
#define PRIORITYD_TESTS_SCENARIOS_PLAYER_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/scenario_file.h"
#include "tests/scenarios/site.h"

namespace priorityd::scenarios {

// Plays all steps of a scenario's text, whatever becomes of one; empty if each answered
// what it should. What reads from a server that it names is asked again for a while:
// servers follow each other within moments, not at once.
std::vector<Failure> Play(absl::string_view content, const Commands& commands, Site& site);

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_PLAYER_H_
