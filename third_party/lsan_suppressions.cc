// Leaks that LeakSanitizer does not report, in whatever folder a binary runs: libcares, inside
// Debian's gRPC, leaks 30 bytes of its own; libpqxx 6.4 leaks the result of a statement whose
// connection broke.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcares\n"
         "leak:PQmakeEmptyPGresult\n";
}
