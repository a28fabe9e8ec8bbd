// <cuComplex.h>
#pragma once
#define COMPLEX(T, vector, name, f, sqrt) \
  typedef vector name; \
  inline name make_##name(T x, T y) { return {x, y}; } \
  inline T cuCreal##f(name a) { return a.x; } \
  inline T cuCimag##f(name a) { return a.y; } \
  inline name cuConj##f(name a) { return {a.x, -a.y}; } \
  inline name cuCadd##f(name a, name b) { return {a.x + b.x, a.y + b.y}; } \
  inline name cuCsub##f(name a, name b) { return {a.x - b.x, a.y - b.y}; } \
  inline name cuCmul##f(name a, name b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  inline name cuCdiv##f(name a, name b) { \
    T scale = 1 / (fabs(b.x) + fabs(b.y)); \
    T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale; \
    T inverse = 1 / (br * br + bi * bi); \
    return {(ar * br + ai * bi) * inverse, (ai * br - ar * bi) * inverse}; \
  } \
  inline T cuCabs##f(name a) { return sqrt(a.x * a.x + a.y * a.y); } \
  inline name cuCfma##f(name a, name b, name c) { return cuCadd##f(cuCmul##f(a, b), c); }
COMPLEX(float, float2, cuFloatComplex, f, sqrtf)
COMPLEX(double, double2, cuDoubleComplex, , sqrt)
#undef COMPLEX
typedef cuFloatComplex cuComplex;
inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
