// Gives back what a list holds.
#ifndef PRIORITYD_SERVER_RECALCULATION_FREE_ROOM_H_
#define PRIORITYD_SERVER_RECALCULATION_FREE_ROOM_H_

namespace priorityd::recalculation {

// Unlike `= {}`, which keeps the room of a vector.
template <typename T>
void Free(T* list) {
  *list = T();
}

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_FREE_ROOM_H_
