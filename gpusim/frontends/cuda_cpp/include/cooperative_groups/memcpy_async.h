// <cooperative_groups/memcpy_async.h>: the threads of a group copy to shared memory, and wait for it later.
#pragma once
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
namespace cooperative_groups {
namespace details {
template <unsigned long Alignment> struct word { using type = unsigned char; };
template <> struct word<4> { using type = unsigned int; };
template <> struct word<8> { using type = unsigned long long; };
template <> struct word<16> { using type = uint4; };
inline constexpr unsigned long widest(unsigned long alignment) {
  return alignment >= 16 ? 16 : alignment >= 8 ? 8 : alignment >= 4 ? 4 : 1;
}
// words of 4, 8 or 16 bytes on their way; what is smaller is copied at once
template <unsigned long Alignment, bool Whole = false, class Group>
inline void copy(const Group& group, void* to, const void* from, unsigned long bytes) {
  using Word = typename word<widest(Alignment)>::type;
  for (unsigned long i = group.thread_rank(); i < bytes / sizeof(Word); i += group.size())
    if constexpr (sizeof(Word) > 1) __gpusim_store_async((Word*)to + i, ((const Word*)from)[i]);
    else ((Word*)to)[i] = ((const Word*)from)[i];
  if constexpr (!Whole)
   for (unsigned long i = bytes / sizeof(Word) * sizeof(Word) + group.thread_rank(); i < bytes; i += group.size())
    ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
}
template <class T> inline constexpr unsigned long alignment_of = alignof(T);
template <> inline constexpr unsigned long alignment_of<void> = 1;
template <class Shape> inline constexpr unsigned long known = 1;  // more of cuda::aligned_size_t, which is in <cuda/barrier>
template <class T, class Shape> inline constexpr unsigned long together =
    alignment_of<T> > known<Shape> ? alignment_of<T> : known<Shape>;
}  // namespace details
// so many bytes
template <class Group, class T, class U, class Shape>
inline void memcpy_async(const Group& group, T* to, const U* from, Shape bytes) {
  constexpr unsigned long aligned = details::together<T, Shape>;
  details::copy<aligned, details::known<Shape> % details::widest(aligned) == 0>(group, to, from, bytes);
  __gpusim_copies_commit();
}
// so many elements, of which there are so many
template <class Group, class T, class U, class To, class From>
inline void memcpy_async(const Group& group, T* to, To room, const U* from, From given) {
  unsigned long elements = room < given ? room : given;
  details::copy<details::alignment_of<T>>(group, to, from, elements * sizeof(T));
  __gpusim_copies_commit();
}
// until all but the last `Stages` copies are there, for all of the group
template <unsigned Stages, class Group> inline void wait_prior(const Group& group) {
  __gpusim_copies_wait(Stages);
  group.sync();
}
template <class Group> inline void wait(const Group& group) { wait_prior<0>(group); }
}  // namespace cooperative_groups
