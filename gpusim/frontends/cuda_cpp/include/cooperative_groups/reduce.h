// <cooperative_groups/reduce.h>: one value of those that all threads of a group bring.
#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {
template <class T = void> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
namespace details {
// half of the ranks take what the other half has, until one has all
template <class Group, class T, class Operation> inline T reduced(const Group& group, T value, Operation operation) {
  static_assert(sizeof(exchanging<Group>));
  unsigned rank = group.thread_rank(), size = group.size(), step = 1;
  while (step < size) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    T other = group.shfl_down(value, step);
    if (rank + step < size) value = operation(value, other);
  }
  return group.shfl(value, 0);
}
}  // namespace details
template <class Group, class T, class Operation> inline T reduce(const Group& group, T value, Operation operation) {
  if constexpr (details::is_wide<Group>)
    return group.fold(details::reduced(details::own_warp(), value, operation), operation);
  else
    return details::reduced(group, value, operation);
}
}  // namespace cooperative_groups
