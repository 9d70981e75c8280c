// In a program, or loaded into its process by LD_PRELOAD: the process's clock is as many
// nanoseconds ahead of the host's as StepClock has stepped it, or as the file says that the
// environment variable STEPPED_CLOCK names. Clocks that only run are not touched.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/stepped_clock.h"

static int64_t stepped = 0;
static const int64_t* ahead = &stepped;
static long (*real_syscall)(long, ...);

void StepClock(int64_t nanoseconds) {
  __atomic_fetch_add(&stepped, nanoseconds, __ATOMIC_RELAXED);
}

static int64_t Ahead(void) { return __atomic_load_n(ahead, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void MapFile(void) {
  real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  const char* path = getenv("STEPPED_CLOCK");
  const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void* map = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) ahead = map;
  close(file);
}

static struct timespec Plus(struct timespec time, int64_t nanoseconds) {
  const int64_t second = 1000000000;
  int64_t rest = time.tv_nsec + nanoseconds % second;
  time.tv_sec += nanoseconds / second;
  if (rest < 0) rest += second, --time.tv_sec;
  if (rest >= second) rest -= second, ++time.tv_sec;
  time.tv_nsec = rest;
  return time;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(clock, time);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) *time = Plus(*time, Ahead());
  return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}

// A wait until a time of the process's clock, as Abseil's are, ends at that of the host's. Six values
// are read however many were given, as glibc does, which AddressSanitizer would take for an error.
__attribute__((no_sanitize_address)) long syscall(long number, ...) {
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  struct timespec until;
  if (number == SYS_futex && (a[1] & FUTEX_CLOCK_REALTIME) != 0 && a[3] != 0) {
    until = Plus(*(const struct timespec*)a[3], -Ahead());
    if (until.tv_sec < 0) until.tv_sec = 0;
    a[3] = (long)&until;
  }
  return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
