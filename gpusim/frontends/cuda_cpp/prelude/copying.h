// Bytes that are moved in a loop, as wide as the types of the pointers allow; those left over one by one.
template <class T> inline void gpusim_memcpy(T* to, const T* from, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes / sizeof(T); ++i) to[i] = from[i];
  if constexpr (sizeof(T) > 1)
    for (unsigned long i = bytes / sizeof(T) * sizeof(T); i < bytes; ++i)
      ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
}
template <class T> inline void gpusim_memmove(T* to, const T* from, unsigned long bytes) {
  if (to <= from) {
    gpusim_memcpy<T>(to, from, bytes);
    return;
  }
  if constexpr (sizeof(T) > 1)
    for (unsigned long i = bytes; i > bytes / sizeof(T) * sizeof(T); --i)
      ((unsigned char*)to)[i - 1] = ((const unsigned char*)from)[i - 1];
  for (unsigned long i = bytes / sizeof(T); i > 0; --i) to[i - 1] = from[i - 1];
}
template <class T> inline void gpusim_memset(T* to, int byte, unsigned long bytes) {
  const T all = (T)((unsigned char)byte * (~0ull / 255));
  for (unsigned long i = 0; i < bytes / sizeof(T); ++i) to[i] = all;
  if constexpr (sizeof(T) > 1)
    for (unsigned long i = bytes / sizeof(T) * sizeof(T); i < bytes; ++i)
      ((unsigned char*)to)[i] = (unsigned char)byte;
}
