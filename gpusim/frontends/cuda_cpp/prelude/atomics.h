// CUDA 12.8's atomics, which name an order and a scope: here all are in order, and of the whole device.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

// what the hardware adds or compares as a number in place of T, and what it sees as bits
template <class T> struct __nv_word { typedef T own, sum, number; };
template <class S, class N, class T> struct __nv_wide { typedef T own; typedef S sum; typedef N number; };
template <> struct __nv_word<long> : __nv_wide<unsigned long long, long long, long> {};
template <> struct __nv_word<long long> : __nv_wide<unsigned long long, long long, long long> {};
template <> struct __nv_word<unsigned long> : __nv_wide<unsigned long long, unsigned long long, unsigned long> {};
template <int bytes> struct __nv_bits { typedef unsigned long long type; };
template <> struct __nv_bits<4> { typedef unsigned type; };
template <> struct __nv_bits<2> { typedef unsigned short type; };

#define __GPUSIM_ATOMIC(name, word, call) \
  template <class T> inline T __nv_atomic_fetch_##name(T* at, typename __nv_word<T>::own value, int, int = 4) { \
    typedef typename word as; \
    return (T)call; \
  } \
  template <class T> inline void __nv_atomic_##name(T* at, typename __nv_word<T>::own value, int, int = 4) { \
    __nv_atomic_fetch_##name(at, value, 0); \
  }
__GPUSIM_ATOMIC(add, __nv_word<T>::sum, atomicAdd((as*)at, (as)value))
__GPUSIM_ATOMIC(sub, __nv_word<T>::sum, atomicAdd((as*)at, (as)-value))
__GPUSIM_ATOMIC(min, __nv_word<T>::number, atomicMin((as*)at, (as)value))
__GPUSIM_ATOMIC(max, __nv_word<T>::number, atomicMax((as*)at, (as)value))
__GPUSIM_ATOMIC(and, __nv_bits<sizeof(T)>::type, atomicAnd((as*)at, (as)value))
__GPUSIM_ATOMIC(or, __nv_bits<sizeof(T)>::type, atomicOr((as*)at, (as)value))
__GPUSIM_ATOMIC(xor, __nv_bits<sizeof(T)>::type, atomicXor((as*)at, (as)value))
template <class T> inline T __nv_atomic_load_n(const T* at, int, int = 4) {
  typedef typename __nv_bits<sizeof(T)>::type as;
  const as found = atomicAdd((as*)at, as(0));
  return *(const T*)&found;
}
template <class T> inline T __nv_atomic_exchange_n(T* at, typename __nv_word<T>::own value, int, int = 4) {
  typedef typename __nv_bits<sizeof(T)>::type as;
  const as found = atomicExch((as*)at, *(as*)&value);
  return *(const T*)&found;
}
template <class T> inline void __nv_atomic_store_n(T* at, typename __nv_word<T>::own value, int, int = 4) {
  __nv_atomic_exchange_n(at, value, 0);
}
template <class T> inline bool __nv_atomic_compare_exchange_n(
    T* at, T* expected, typename __nv_word<T>::own value, bool, int, int, int = 4) {
  typedef typename __nv_bits<sizeof(T)>::type as;
  const as wanted = *(as*)expected, found = atomicCAS((as*)at, wanted, *(as*)&value);
  *(as*)expected = found;
  return found == wanted;
}
