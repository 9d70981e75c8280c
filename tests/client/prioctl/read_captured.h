// Files of tests/client/captured.
#ifndef TESTS_CLIENT_PRIOCTL_READ_CAPTURED_H_
#define TESTS_CLIENT_PRIOCTL_READ_CAPTURED_H_

#include <fstream>
#include <sstream>
#include <string>

namespace priorityd::prioctl {

inline std::string ReadCaptured(const std::string& name) {
  std::ifstream file("tests/client/captured/" + name);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace priorityd::prioctl

#endif  // TESTS_CLIENT_PRIOCTL_READ_CAPTURED_H_
