// <cooperative_groups.h>: threads that work together, as values. Within a warp a group is the mask of its lanes.
#pragma once
namespace cooperative_groups {
namespace details {
using lanes = decltype(__activemask());
inline unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane() { return rank_in_block() % warpSize; }
inline unsigned count(unsigned mask) { return __popc(mask); }
inline unsigned count(unsigned long long mask) { return __popcll(mask); }
inline int first(unsigned mask) { return __ffs(mask) - 1; }
inline int first(unsigned long long mask) { return __ffsll(mask) - 1; }
inline lanes below(unsigned lane) { return (lanes(1) << lane) - 1; }
inline lanes leading(unsigned count) { return (lanes(2) << (count - 1)) - 1; }
// the lane that comes as number `rank` in a mask
inline int nth(lanes mask, unsigned rank) {
  for (unsigned k = 0; k < rank; k++) mask &= mask - 1;
  return first(mask);
}
// the bits that a word has at the lanes of a mask, side by side
inline lanes packed(lanes word, lanes mask) {
  lanes found = 0;
  for (unsigned k = 0; mask != 0; k++, mask &= mask - 1) found |= (word >> first(mask) & 1) << k;
  return found;
}
// the lanes of a block's tile of `size` threads; the last one may have fewer
inline lanes tile(unsigned size) {
  unsigned in_warp = threads_in_block() - (rank_in_block() - lane());
  return leading(size) << (lane() & ~(size - 1)) & leading(in_warp < warpSize ? in_warp : warpSize);
}
// what barriers of a block's parts are named by, beyond the numbers that a program gives its own
inline unsigned long long barrier(unsigned size, unsigned number = 0) { return (unsigned long long)size << 32 | number; }
// one value of each warp of a block, for threads of several warps to read
template <class T> inline T* parts() {
  __shared__ T values[1024 / __GPUSIM_WARP_SIZE];
  return values;
}
template <class T> using number = std::enable_if_t<!std::is_class_v<T>, T>;
template <class T> using object = std::enable_if_t<std::is_class_v<T>, T>;
// the words of an object, exchanged one by one
template <class T, class Exchange> inline T by_words(T value, Exchange exchange) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32, "groups exchange objects of up to 32 bytes that memcpy may copy");
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = exchange(word);
  memcpy(&value, words, sizeof(T));
  return value;
}
template <unsigned Size, bool Wide> class tile_of;
}  // namespace details

// What all groups have: lanes of a warp, or with none in its mask the thread block.
class thread_group {
 protected:
  details::lanes mask_ = 0;
  unsigned number_ = 0, groups_ = 1;
 public:
  thread_group() = default;
  thread_group(details::lanes mask, unsigned number, unsigned groups) : mask_(mask), number_(number), groups_(groups) {}
  details::lanes lanes() const { return mask_; }
  unsigned size() const { return mask_ ? details::count(mask_) : details::threads_in_block(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return mask_ ? details::count(mask_ & details::below(details::lane())) : details::rank_in_block();
  }
  bool is_valid() const { return true; }
  void sync() const {
    if (mask_) __syncwarp(mask_);
    else __syncthreads();
  }
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};
  static arrival_token barrier_arrive() {
    __gpusim_barrier_arrive(details::barrier(1), 0);
    return arrival_token();
  }
  static void barrier_wait(arrival_token&&) { __gpusim_barrier_wait(details::barrier(1)); }
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() { return details::rank_in_block(); }
  static unsigned size() { return details::threads_in_block(); }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static dim3 dim_threads() { return group_dim(); }
};
inline thread_block this_thread_block() { return thread_block(); }
// what tiles of several warps once had to be given; here they need nothing
template <unsigned Threads = 1024> struct block_tile_memory {};
template <unsigned Threads> inline thread_block this_thread_block(block_tile_memory<Threads>&) { return thread_block(); }

// All threads of a grid that was launched cooperatively.
class grid_group {
 public:
  static bool is_valid() { return __GPUSIM_COOPERATIVE; }
  static void sync() { __sync_grid(); }
  static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static unsigned long long size() { return num_blocks() * details::threads_in_block(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * details::threads_in_block() + details::rank_in_block();
  }
  static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static dim3 dim_blocks() { return group_dim(); }
};
inline grid_group this_grid() { return grid_group(); }

// Lanes of one warp, whichever: each has its rank among them.
class coalesced_group : public thread_group {
 public:
  using thread_group::thread_group;
  coalesced_group(details::lanes mask) : thread_group(mask, 0, 1) {}
  unsigned meta_group_rank() const { return number_; }
  unsigned meta_group_size() const { return groups_; }
  template <class T> details::number<T> shfl(T value, unsigned rank) const {
    return __shfl_sync(mask_, value, details::nth(mask_, rank % size()));
  }
  template <class T> details::number<T> shfl_down(T value, unsigned delta) const {
    unsigned from = thread_rank() + delta;
    return __shfl_sync(mask_, value, from < size() ? details::nth(mask_, from) : (int)details::lane());
  }
  template <class T> details::number<T> shfl_up(T value, unsigned delta) const {
    unsigned mine = thread_rank();
    return __shfl_sync(mask_, value, mine >= delta ? details::nth(mask_, mine - delta) : (int)details::lane());
  }
  template <class T> details::object<T> shfl(T value, unsigned rank) const {
    return details::by_words(value, [&](unsigned word) { return shfl(word, rank); });
  }
  template <class T> details::object<T> shfl_down(T value, unsigned delta) const {
    return details::by_words(value, [&](unsigned word) { return shfl_down(word, delta); });
  }
  template <class T> details::object<T> shfl_up(T value, unsigned delta) const {
    return details::by_words(value, [&](unsigned word) { return shfl_up(word, delta); });
  }
  int any(int flag) const { return __any_sync(mask_, flag); }
  int all(int flag) const { return __all_sync(mask_, flag); }
  details::lanes ballot(int flag) const { return details::packed(__ballot_sync(mask_, flag), mask_); }
  template <class T> details::lanes match_any(T value) const {
    return details::packed(__match_any_sync(mask_, value), mask_);
  }
  template <class T> details::lanes match_all(T value, int& same) const {
    return details::packed(__match_all_sync(mask_, value, &same), mask_);
  }
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A power of two of neighbouring lanes.
template <unsigned Size> class details::tile_of<Size, false> : public coalesced_group {
 public:
  tile_of(unsigned number, unsigned groups) : coalesced_group(details::tile(Size), number, groups) {}
  static unsigned thread_rank() { return details::lane() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  template <class T> details::number<T> shfl(T value, int rank) const { return __shfl_sync(mask_, value, rank, Size); }
  template <class T> details::number<T> shfl_down(T value, unsigned delta) const { return __shfl_down_sync(mask_, value, delta, Size); }
  template <class T> details::number<T> shfl_up(T value, unsigned delta) const { return __shfl_up_sync(mask_, value, delta, Size); }
  template <class T> details::number<T> shfl_xor(T value, unsigned other) const { return __shfl_xor_sync(mask_, value, other, Size); }
  template <class T> details::object<T> shfl(T value, unsigned rank) const {
    return details::by_words(value, [&](unsigned word) { return shfl(word, rank); });
  }
  template <class T> details::object<T> shfl_down(T value, unsigned delta) const {
    return details::by_words(value, [&](unsigned word) { return shfl_down(word, delta); });
  }
  template <class T> details::object<T> shfl_up(T value, unsigned delta) const {
    return details::by_words(value, [&](unsigned word) { return shfl_up(word, delta); });
  }
  template <class T> details::object<T> shfl_xor(T value, unsigned other) const {
    return details::by_words(value, [&](unsigned word) { return shfl_xor(word, other); });
  }
};

// A power of two of threads in several warps: they meet at a barrier of their own, and exchange in shared memory.
template <unsigned Size> class details::tile_of<Size, true> {
  static_assert(Size <= 1024, "a tile has at most 1024 threads, a whole block");
  unsigned number_, groups_;
  static unsigned long long barrier() { return details::barrier(Size, details::rank_in_block() / Size); }
  // a warp writes only its own place: others may still read theirs for another tile
  template <class T> static T* own() { return details::parts<T>() + details::rank_in_block() / Size * (Size / warpSize); }
 public:
  struct arrival_token {};
  tile_of(unsigned number, unsigned groups) : number_(number), groups_(groups) {}
  static unsigned thread_rank() { return details::rank_in_block() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned meta_group_rank() const { return number_; }
  unsigned meta_group_size() const { return groups_; }
  static bool is_valid() { return true; }
  static void sync() { __gpusim_barrier_sync(barrier(), Size); }
  static arrival_token barrier_arrive() {
    __gpusim_barrier_arrive(barrier(), Size);
    return arrival_token();
  }
  static void barrier_wait(arrival_token&&) { __gpusim_barrier_wait(barrier()); }
  // what the last lanes of the tile's first `warps` warps bring, put together in the order of ranks
  template <class T, class Operation> static T fold(T of_warp, unsigned warps, Operation operation) {
    T* parts = own<T>();
    if (details::lane() == warpSize - 1) parts[thread_rank() / warpSize] = of_warp;
    sync();
    T all = parts[0];
    for (unsigned warp = 1; warp < warps; warp++) all = operation(all, parts[warp]);
    sync();
    return all;
  }
  template <class T, class Operation> static T fold(T of_warp, Operation operation) {
    return fold(of_warp, Size / warpSize, operation);
  }
  template <class T> static T shfl(T value, unsigned rank) {
    T* parts = own<T>();
    if (thread_rank() == rank) parts[rank / warpSize] = value;
    sync();
    T found = parts[rank / warpSize];
    sync();
    return found;
  }
  static int any(int flag) { return fold(__any_sync(~details::lanes(0), flag), [](int a, int b) { return a | b; }); }
  static int all(int flag) { return fold(__all_sync(~details::lanes(0), flag), [](int a, int b) { return a & b; }); }
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public details::tile_of<Size, (Size > __GPUSIM_WARP_SIZE)> {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, … threads");
 public:
  using details::tile_of<Size, (Size > __GPUSIM_WARP_SIZE)>::tile_of;
  template <class Other> thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : thread_block_tile(tile.meta_group_rank(), tile.meta_group_size()) {}
};

inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(0, 1); }

namespace details {
template <class Group> inline constexpr bool is_wide = false;
template <unsigned Size, class Parent>
inline constexpr bool is_wide<thread_block_tile<Size, Parent>> = (Size > __GPUSIM_WARP_SIZE);
template <class Group> struct exchanging {
  static_assert(std::is_base_of_v<coalesced_group, Group>, "tiles within a warp and coalesced groups exchange values; cut the block or tile with cg::tiled_partition<32>(…)");
};
// a tile's own warp
inline auto own_warp() { return thread_block_tile<__GPUSIM_WARP_SIZE>(0, 1); }
}  // namespace details

template <unsigned Size, class Group> inline thread_block_tile<Size, Group> tiled_partition(const Group& group) {
  static_assert(std::is_same_v<Group, thread_block>, "a block or a tile is cut into tiles of a size in <>; give others the size as an argument");
  __gpusim_tiles(Size);
  return thread_block_tile<Size, Group>(group.thread_rank() / Size, (group.size() + Size - 1) / Size);
}
template <unsigned Size, unsigned Outer, class Parent>
inline auto tiled_partition(const thread_block_tile<Outer, Parent>& tile) {
  static_assert(Size <= Outer, "a tile cannot be cut into larger ones");
  return thread_block_tile<Size, thread_block_tile<Outer, Parent>>(tile.thread_rank() / Size, Outer / Size);
}
inline thread_group tiled_partition(const thread_group& group, unsigned size) {
  __assert_that(__popc(size) == 1 && size <= __GPUSIM_WARP_SIZE, "a tile has 1, 2, 4, 8, … threads, and no more than a warp");
  if (!group.lanes()) __gpusim_tiles(size);
  if (!group.lanes()) return thread_group(details::tile(size), group.thread_rank() / size, group.size() / size);
  unsigned number = group.thread_rank() / size;
  details::lanes mask = 0, left = group.lanes();
  for (unsigned rank = 0; left; rank++, left &= left - 1)
    if (rank / size == number) mask |= left & -left;
  return thread_group(mask, number, (group.size() + size - 1) / size);
}
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  thread_group tile = tiled_partition(static_cast<const thread_group&>(group), size);
  return coalesced_group(tile.lanes(), group.thread_rank() / size, (group.size() + size - 1) / size);
}
template <class Group> inline coalesced_group binary_partition(const Group& group, bool flag) {
  static_assert(sizeof(details::exchanging<Group>));
  details::lanes with = __ballot_sync(group.lanes(), flag), without = group.lanes() & ~with;
  return coalesced_group(flag ? with : without, flag && without, with && without ? 2 : 1);
}
template <class Group, class Label> inline coalesced_group labeled_partition(const Group& group, Label label) {
  static_assert(sizeof(details::exchanging<Group>));
  details::lanes same = __match_any_sync(group.lanes(), label);
  unsigned leader = details::first(same);
  details::lanes leaders = __ballot_sync(group.lanes(), leader == details::lane());
  return coalesced_group(same, details::count(leaders & details::below(leader)), details::count(leaders));
}

template <class Group> inline void sync(const Group& group) { group.sync(); }
template <class Group> inline unsigned thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> inline unsigned group_size(const Group& group) { return group.size(); }
// One thread of a group calls; all get what it returned.
template <class Group, class Function, class... Arguments>
inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}
template <class Group, class Function, class... Arguments>
inline auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  decltype(function(arguments...)) result{};
  if (group.thread_rank() == 0) result = function(arguments...);
  return group.shfl(result, 0);
}
}  // namespace cooperative_groups
