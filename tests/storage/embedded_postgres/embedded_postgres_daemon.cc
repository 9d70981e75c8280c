// Starts PostgreSQL in the directory given, prints the server's pid and waits
// to be killed: the program whose death embedded_postgres_test survives.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>

#include "storage/embedded_postgres/embedded_postgres.h"

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  spdlog::set_level(spdlog::level::off);  // it would write where the pid goes
  auto postgres =
      priorityd::storage::EmbeddedPostgres::Start({.data_dir = argv[1], .durable = false});
  if (!postgres.ok()) {
    std::fprintf(stderr, "%s\n", postgres.status().ToString().c_str());
    return 2;
  }
  std::printf("%d\n", (*postgres)->pid());
  std::fflush(stdout);
  pause();
}
