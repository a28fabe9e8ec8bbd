// What every program of the recorder needs: checked calls, one JSON list or object a line, and rows read from a file.
#pragma once
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorName(e_)); exit(3); } } while (0)

static FILE* lines = stdout;
static inline FILE* opened(const char* path, const char* how) { FILE* f = fopen(path, how); if (!f) { perror(path); exit(2); } return f; }
static inline void J(const char* format, ...) {
    va_list a; va_start(a, format); vfprintf(lines, format, a); va_end(a);
    fputc('\n', lines); fflush(lines);
}
template <class T> static std::string list(const T* v, int n) {
    std::string s = "[";
    for (int i = 0; i < n; i++) s += (i ? "," : "") + std::to_string((long long)v[i]);
    return s + "]";
}
template <class T> static T median(std::vector<T> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
