// A host that refuses a system call, as the filters of systemd and of containers do.
#ifndef PRIORITYD_TESTS_DENIED_CALL_H_
#define PRIORITYD_TESTS_DENIED_CALL_H_

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>

namespace priorityd {

// From now on `call` with this lower half of its first argument fails in the calling thread, and in
// threads that it starts, with this errno. False if the filter cannot be installed.
inline bool DenyToThread(uint32_t call, uint32_t first_argument, uint32_t error) {
  sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first_argument, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter = {sizeof(lines) / sizeof(lines[0]), lines};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_DENIED_CALL_H_
