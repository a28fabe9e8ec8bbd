// <cooperative_groups/scan.h>: for each thread of a group, the value of all that come before it.
#pragma once
#include <cooperative_groups/reduce.h>
namespace cooperative_groups {
template <class Group, class T, class Operation = plus<T>>
inline T inclusive_scan(const Group& group, T value, Operation operation = Operation()) {
  if constexpr (details::is_wide<Group>) {
    value = inclusive_scan(details::own_warp(), value, operation);
    unsigned warps = group.thread_rank() / warpSize;  // that come before
    T before = group.fold(value, warps, operation);
    return warps ? operation(before, value) : value;
  } else {
    static_assert(sizeof(details::exchanging<Group>));
    unsigned rank = group.thread_rank();
    for (unsigned step = 1; step < group.size(); step *= 2) {
      T other = group.shfl_up(value, step);
      if (rank >= step) value = operation(other, value);
    }
    return value;
  }
}
// the first thread gets 0, whatever the operation, as on an H200
template <class Group, class T, class Operation = plus<T>>
inline T exclusive_scan(const Group& group, T value, Operation operation = Operation()) {
  if constexpr (details::is_wide<Group>) {
    T sum = inclusive_scan(details::own_warp(), value, operation);
    T within = details::own_warp().shfl_up(sum, 1);
    unsigned warps = group.thread_rank() / warpSize;
    T before = group.fold(sum, warps, operation);
    if (details::lane() == 0) return warps ? before : T();
    return warps ? operation(before, within) : within;
  } else {
    T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
  }
}
}  // namespace cooperative_groups
