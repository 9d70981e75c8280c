// Work in the background leaves the CPU to calls.
#ifndef PRIORITYD_SERVER_THREADS_BACKGROUND_H_
#define PRIORITYD_SERVER_THREADS_BACKGROUND_H_

namespace priorityd::threads {

// Gives the calling thread nice value 10: a tenth of the CPU of a thread of the usual priority
// where both could use all, so that a thread that holds a lock is not stopped for long. If the host
// refuses it, logs that once per process.
void WorkInBackground();

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_BACKGROUND_H_
