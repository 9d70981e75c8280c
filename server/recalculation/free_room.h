// Frees the memory of a container.
#ifndef PRIORITYD_SERVER_RECALCULATION_FREE_ROOM_H_
#define PRIORITYD_SERVER_RECALCULATION_FREE_ROOM_H_

namespace priorityd::recalculation {

// Unlike `= {}`, which keeps a vector's capacity.
template <typename T>
void Free(T* list) {
  *list = T();
}

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_FREE_ROOM_H_
