// What the tests are compiled with.
#ifndef PRIORITYD_TESTS_SANITIZER_H_
#define PRIORITYD_TESTS_SANITIZER_H_

namespace priorityd {

// Whether a sanitizer is in the code: then it is several times slower, and what is freed is kept
// for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(_GLIBCXX_TSAN)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SANITIZER_H_
