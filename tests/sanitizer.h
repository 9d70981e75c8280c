// What the tests are compiled with.
#ifndef PRIORITYD_TESTS_SANITIZER_H_
#define PRIORITYD_TESTS_SANITIZER_H_

namespace priorityd {

// Whether ThreadSanitizer, or any sanitizer, is in the code: then it is several times slower, and
// what is freed is kept for a while.
#ifdef _GLIBCXX_TSAN
inline constexpr bool kIsThreadSanitized = true;
#else
inline constexpr bool kIsThreadSanitized = false;
#endif
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = kIsThreadSanitized;
#endif

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SANITIZER_H_
