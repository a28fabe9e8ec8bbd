// <cooperative_groups/scan.h>: for each thread of a group, the value of all that come before it.
#pragma once
#include <cooperative_groups/reduce.h>
namespace cooperative_groups {
template <class Group, class T, class Operation = plus<T>>
inline T inclusive_scan(const Group& group, T value, Operation operation = Operation()) {
  unsigned rank = group.thread_rank();
  for (unsigned step = 1; step < group.size(); step *= 2) {
    T other = group.shfl_up(value, step);
    if (rank >= step) value = operation(other, value);
  }
  return value;
}
// the first thread gets 0, whatever the operation, as on an H200
template <class Group, class T, class Operation = plus<T>>
inline T exclusive_scan(const Group& group, T value, Operation operation = Operation()) {
  T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
}  // namespace cooperative_groups
