// <string.h>, but for memcpy and its kin.
template <int = 0> inline size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length]) ++length;
  return length;
}
template <int = 0> inline int strncmp(const char* a, const char* b, size_t most) {
  for (size_t i = 0; i < most; ++i)
    if (a[i] != b[i] || !a[i]) return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : a[i] != b[i];
  return 0;
}
template <int = 0> inline int strcmp(const char* a, const char* b) { return strncmp(a, b, ~0ul); }
template <int = 0> inline int memcmp(const void* a, const void* b, size_t count) {
  const unsigned char *one = (const unsigned char*)a, *other = (const unsigned char*)b;
  for (size_t i = 0; i < count; ++i)
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  return 0;
}
template <int = 0> inline char* strncpy(char* to, const char* from, size_t most) {
  bool ended = false;
  for (size_t i = 0; i < most; ++i) {
    ended = ended || !from[i];
    to[i] = ended ? 0 : from[i];
  }
  return to;
}
template <int = 0> inline char* strcpy(char* to, const char* from) {
  size_t i = 0;
  do to[i] = from[i];
  while (from[i++]);
  return to;
}
template <int = 0> inline char* strcat(char* to, const char* from) {
  strcpy(to + strlen(to), from);
  return to;
}
// what `%s` of printf reads: up to 255 letters
inline void gpusim_letters(const char* text, unsigned long long* words) {
  char* const to = (char*)words;
  if (!text) text = "(null)";
  int i = 0;
  for (; i < 255 && text[i]; ++i) to[i] = text[i];
  to[i] = 0;
  assert(!text[i] && "printf's %s of at most 255 letters");
}
