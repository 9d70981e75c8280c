// Reads the transcripts of captured/: commands of Slurm's and what they printed.
#ifndef PRIORITYD_TESTS_SLURM_TRANSCRIPT_H_
#define PRIORITYD_TESTS_SLURM_TRANSCRIPT_H_

#include <string>
#include <vector>

namespace priorityd {

// A command line and what came of it; captured/README.md describes the form.
struct TranscriptEntry {
  std::string user;     // Who ran it; empty = root.
  std::string command;  // As typed, its tool first.
  std::string typed;    // At its questions.
  std::string out;
  std::string err;
  int status = 0;
};

// The text of tests/slurm/captured/NAME, unpacked if NAME ends in `.gz`. REQUIRES: the test has
// //tests/slurm:captured in its data.
std::string ReadCaptured(const std::string& name);

// Its entries.
std::vector<TranscriptEntry> ReadTranscript(const std::string& name);

// The words of a command line: quotes hold blanks together and are taken away.
std::vector<std::string> CommandWords(const std::string& command);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SLURM_TRANSCRIPT_H_
