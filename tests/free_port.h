// Ports for servers of tests.
#ifndef PRIORITYD_TESTS_FREE_PORT_H_
#define PRIORITYD_TESTS_FREE_PORT_H_

namespace priorityd {

// A TCP port of 127.0.0.1 that nobody listens on, and that no other program is given while this one
// runs: a socket that does not listen keeps it. Servers use SO_REUSEADDR, and may listen on it.
// Ends the program if there is none.
int FreePort();

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_FREE_PORT_H_
