// Fetches by texture objects, and accesses by surface objects, whose x counts bytes. Each is one instruction.
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t, mcTextureObject_t, mcSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
template <class T> inline T tex1Dfetch(cudaTextureObject_t t, int x) { return __gpusim_tex1Dfetch(T{}, t, x); }
template <class T> inline T tex1D(cudaTextureObject_t t, float x) { return __gpusim_tex1D(T{}, t, x); }
template <class T> inline T tex2D(cudaTextureObject_t t, float x, float y) { return __gpusim_tex2D(T{}, t, x, y); }
template <class T> inline void tex1Dfetch(T* to, cudaTextureObject_t t, int x) { *to = tex1Dfetch<T>(t, x); }
template <class T> inline void tex1D(T* to, cudaTextureObject_t t, float x) { *to = tex1D<T>(t, x); }
template <class T> inline void tex2D(T* to, cudaTextureObject_t t, float x, float y) { *to = tex2D<T>(t, x, y); }
#define __GPUSIM_SURFACES(dimensions, rows, row) \
  template <class T> inline T surf##dimensions##read( \
      cudaSurfaceObject_t s, int x rows, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    return __gpusim_surf##dimensions##read(T{}, s, x row, mode); \
  } \
  template <class T> inline void surf##dimensions##read( \
      T* to, cudaSurfaceObject_t s, int x rows, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *to = surf##dimensions##read<T>(s, x row, mode); \
  } \
  template <class T> inline void surf##dimensions##write( \
      T value, cudaSurfaceObject_t s, int x rows, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    __gpusim_surf##dimensions##write(value, s, x row, mode); \
  }
#define __GPUSIM_COMMA ,
__GPUSIM_SURFACES(1D, , )
__GPUSIM_SURFACES(2D, __GPUSIM_COMMA int y, __GPUSIM_COMMA y)
