// Runs every kernel of this folder once and writes cpp_language.json: nvcc -std=c++17 -arch=sm_90 record.cu && ./a.out > ../cpp_language.json
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>
#include <cuda_fp16.h>

namespace layout {
#include "layout.cu"
}
namespace integers {
#include "integers.cu"
}
#undef I
namespace floats {
#include "floats.cu"
}
#undef I
namespace bits {
#include "bits.cu"
}
#undef I
namespace warps {
#include "warps.cu"
}
namespace atomics {
#include "atomics.cu"
}
#undef I
namespace pointers {
#include "pointers.cu"
}
#undef I
namespace statements {
#include "statements.cu"
}
#undef I
namespace functions {
#include "functions.cu"
}
#undef I
namespace objects {
#include "objects.cu"
}
#undef I
namespace algorithms {
#include "algorithms.cu"
}
#undef I
#undef ONE
namespace math {
#include "math.cu"
}
#undef ONE
namespace half_precision {
#include "half.cu"
}
#undef I
namespace output {
#include "output.cu"
}

using std::string;
using std::vector;
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

template <class T> struct Name;
#define NAME(T) template <> struct Name<T> { static constexpr const char* text = #T; };
NAME(signed char) NAME(unsigned char) NAME(short) NAME(unsigned short) NAME(int) NAME(unsigned) NAME(long long) NAME(unsigned long long)
NAME(float) NAME(double) NAME(uchar4) NAME(uint4) NAME(int2) NAME(int4) NAME(pointers::Vec3)

// a vector or a struct is written as its numbers
template <class T> struct Number { using type = T; };
template <> struct Number<uchar4> { using type = unsigned char; };
template <> struct Number<uint4> { using type = unsigned; };
template <> struct Number<int2> { using type = int; };
template <> struct Number<int4> { using type = int; };
template <> struct Number<pointers::Vec3> { using type = float; };

template <class T> string written(T value) {
    char text[64];
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) return "\"nan\"";
        if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
        snprintf(text, 64, sizeof(T) == 4 ? "%.9g" : "%.17g", (double)value);
        string s = text;
        return s.find_first_of(".e") == string::npos ? s + ".0" : s;
    } else return std::to_string(value);
}

template <class T> string list(const T* values, size_t count) {
    string s = "[";
    for (size_t i = 0; i < count; i++) s += (i ? "," : "") + written(values[i]);
    return s + "]";
}

static std::map<string, string> inputs;
static vector<string> records;

struct Input { string name; };
template <class T> struct Set : Input { vector<T> values; };

static string quoted(const string& text) {
    string s = "\"";
    for (char c : text) { if (c == '"' || c == '\\') s += '\\'; if (c == '\n') s += "\\n"; else s += c; }
    return s + "\"";
}

template <class In, class Out>
void run(const char* name, void (*kernel)(const In*, Out*), const Set<typename Number<In>::type>& x, int blocks, int threads, size_t outs, int shared = 0) {
    using I = typename Number<In>::type;
    using O = typename Number<Out>::type;
    string file = string(name).substr(0, string(name).find("::"));
    string kernel_name = string(name).substr(file.size() + 2);
    if (file == "half_precision") file = "half";
    I* in;
    O* out;
    CK(cudaMalloc(&in, x.values.size() * sizeof(I)));
    CK(cudaMalloc(&out, outs * sizeof(O)));
    CK(cudaMemset(out, 0, outs * sizeof(O)));
    CK(cudaMemcpy(in, x.values.data(), x.values.size() * sizeof(I), cudaMemcpyHostToDevice));
    fflush(stdout);
    int terminal = dup(1);
    FILE* printed = tmpfile();
    dup2(fileno(printed), 1);
    kernel<<<blocks, threads, shared>>>((const In*)in, (Out*)out);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    fflush(stdout);
    dup2(terminal, 1);
    close(terminal);
    string text;
    rewind(printed);
    for (int c; (c = fgetc(printed)) != EOF;) text += (char)c;
    fclose(printed);
    vector<O> results(outs);
    CK(cudaMemcpy(results.data(), out, outs * sizeof(O), cudaMemcpyDeviceToHost));
    inputs[x.name] = string("{\"type\": \"") + Name<I>::text + "\", \"values\": " + list(x.values.data(), x.values.size()) + "}";
    string record = "{\"file\": \"" + file + ".cu\", \"kernel\": \"" + kernel_name + "\", \"input\": \"" + x.name + "\", \"blocks\": " +
                    std::to_string(blocks) + ", \"threads\": " + std::to_string(threads);
    if (shared) record += ", \"shared\": " + std::to_string(shared);
    if (!text.empty()) record += ", \"printed\": " + quoted(text);
    records.push_back(record + ", \"type\": \"" + Name<O>::text + "\",\n  \"outputs\": " + list(results.data(), outs) + "}");
    cudaFree(in);
    cudaFree(out);
}

template <class T> vector<T> edges() {
    using L = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>)
        return {T(0), T(-0.0), T(1), T(-2.5), T(0.1), T(3.7), L::denorm_min() * 5, L::max(), -L::max() / 3, L::infinity(), -L::infinity(), L::quiet_NaN(), T(16777217), T(-1e-3)};
    else return {T(0), T(1), T(2), T(3), T(-1), T(-3), T(7), L::max(), L::min(), T(L::max() - 1), T(100), T(0x5a3c96e178d2b4f0)};
}

template <class T> Set<T> pairs() {
    Set<T> s{{string("pairs of ") + Name<T>::text}};
    for (T a : edges<T>()) for (T b : edges<T>()) { s.values.push_back(a); s.values.push_back(b); }
    return s;
}

template <class T> Set<T> counted() {
    Set<T> s{{string("0 to 63 as ") + Name<T>::text}};
    for (int i = 0; i < 64; i++) s.values.push_back((T)i);
    return s;
}

template <class T> Set<T> shift_pairs() {
    Set<T> s{{string("numbers and shifts of ") + Name<T>::text}};
    for (T a : {T(1), T(-1), T(0x5a3c96e178d2b4f0), std::numeric_limits<T>::min()})
        for (int by : {0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100}) { s.values.push_back(a); s.values.push_back((T)by); }
    return s;
}

static Set<long long> small_pairs() {
    Set<long long> s{{"pairs of small numbers"}};
    for (long long a : {0, 1, 2, -1, -2, 100, -100, 255, -128}) for (long long b : {0, 1, 3, -1, -3, 100, 255, -128, 32767}) { s.values.push_back(a); s.values.push_back(b); }
    return s;
}

static Set<long long> wide() {
    Set<long long> s{{"wide integers"}};
    for (long long a : {0ll, 1ll, -1ll, 127ll, 128ll, 255ll, 256ll, -129ll, 32768ll, 65535ll, 65536ll, 16777217ll, -16777219ll, 2147483647ll, 2147483648ll, 4294967295ll,
                        4294967296ll, 9007199254740993ll, -9007199254740995ll, 9223372036854775807ll, (long long)0x8000000000000000, 0x123456789abcdef0ll})
        s.values.push_back(a);
    return s;
}

template <class T> Set<T> reals() {
    Set<T> s{{string("edges of ") + Name<T>::text}};
    using L = std::numeric_limits<T>;
    for (double a : {0.0, -0.0, 0.5, -0.5, 1.0, 1.5, 2.5, -1.5, -2.5, 0.49999997, -0.75, 3.7, 126.5, 255.5, 1e9, 2147483648.0, -2147483648.0, 3e9, 4294967296.0, 8388609.0,
                     9007199254740992.0, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30, 1e-30, 1e-40, 0.1, 1.0 / 3, 1e-10, 65504.0, 65520.0})
        s.values.push_back((T)a);
    for (T a : {L::denorm_min(), L::min(), L::max(), -L::max(), L::infinity(), -L::infinity(), L::quiet_NaN()}) s.values.push_back(a);
    return s;
}

static Set<double> doubles_to_round() {
    Set<double> s = reals<double>();
    s.name = "doubles to be rounded";
    for (double a : {1e39, -1e39, 1e-46, 0.1 + 1e-9, 1.00000005960464477539, 1.000000178813934326, 16777217.0, -16777217.0, 3.4028235677973366e38}) s.values.push_back(a);
    return s;
}

template <class T> Set<T> angles() {
    Set<T> s{{string("numbers for functions of ") + Name<T>::text}};
    for (double a : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.5, 2.5, -2.5, 3.0, -3.0, 3.14159265358979, 1.57079632679, 0.785398163, 10.0, -10.0, 100.5, 1e5, -1e5, 1e-3,
                     -1e-3, 1e-8, 1e-30, 0.1, 0.9, -0.9, 0.999999, 20.25, 40.0, -40.0, 88.0, 90.0, -104.0, 700.0, 1e30, 12345.678}) s.values.push_back((T)a);
    for (T a : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) s.values.push_back(a);
    return s;
}

template <class T> Set<T> sides() {
    Set<T> s{{string("pairs for functions of ") + Name<T>::text}};
    using L = std::numeric_limits<T>;
    for (T a : {T(0), T(-0.0), T(1), T(-1), T(2), T(-3), T(0.5), T(1.7), T(-1e-3), T(1e5), L::infinity(), -L::infinity(), L::quiet_NaN()})
        for (T b : {T(0), T(-0.0), T(1), T(-2), T(0.5), T(3), T(-4.25), T(1e3), L::infinity(), -L::infinity(), L::quiet_NaN()}) { s.values.push_back(a); s.values.push_back(b); }
    return s;
}

template <class T> Set<T> words() {
    Set<T> s{{string("pairs of words as ") + Name<T>::text}};
    unsigned long long seed = 42;
    for (T a : {T(0), T(1), T(-1), T(0x80000000), T(0x7fffffff), T(0x80ff7f01), T(0x01008180)}) for (T b : {T(0), T(-1), T(0x80007fff), T(0x7f80ff01)}) { s.values.push_back(a); s.values.push_back(b); }
    for (int i = 0; i < 40; i++) { seed = seed * 6364136223846793005ull + 1442695040888963407ull; s.values.push_back((T)(seed >> (sizeof(T) == 8 ? 0 : 32))); }
    return s;
}

static Set<float> half_pairs() {
    Set<float> s{{"pairs for halves"}};
    for (float a : {0.f, -0.f, 1.f, -2.5f, 0.1f, 3.7f, 65504.f, 6e-8f, INFINITY, NAN, 1000.3f}) for (float b : {0.f, 1.f, -0.3f, 5.5f, 300.f, 6e-5f, -INFINITY, NAN}) { s.values.push_back(a); s.values.push_back(b); }
    return s;
}

static Set<unsigned short> all_halves() {
    Set<unsigned short> s{{"bits of halves"}};
    for (int i : {0, 1, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x3555, 0x7bff, 0x7c00, 0x7e00, 0x8000, 0x8001, 0x83ff, 0xbc00, 0xc500, 0xfbff, 0xfc00, 0x4248}) s.values.push_back(i);
    return s;
}

static Set<float> to_halves() {
    Set<float> s{{"floats to halves"}};
    for (float a : {0.f, -0.f, 1.f, 0.1f, -0.1f, 2049.f, 2051.f, 65504.f, 65519.f, 65520.f, -65520.f, 1e30f, 6e-8f, 2.9e-8f, 3.1e-8f, 6.1e-5f, 6.09e-5f, 1.0005f, 1.00048828125f, INFINITY, -INFINITY, NAN, 1e-40f}) s.values.push_back(a);
    return s;
}

static Set<unsigned char> some_bytes() {
    Set<unsigned char> s{{"bytes"}};
    for (int i = 0; i < 128; i++) s.values.push_back(i * 37 + 11);
    return s;
}

template <class T> Set<T> tenths() {
    Set<T> s{{string("halves of 0 to 255 as ") + Name<T>::text}};
    for (int i = 0; i < 256; i++) s.values.push_back((T)(i / (T)2));
    return s;
}

static Set<int> many() {
    Set<int> s{{"256 integers"}};
    for (int i = 0; i < 256; i++) s.values.push_back((i * 7919 + 13) % 1000 - 300);
    return s;
}

#define ONE(kernel, outs) run(#kernel, kernel, counted<int>(), 1, 1, outs)
#define EACH(kernel, set, ins, per) { auto s = set; int n = s.values.size() / (ins); run(#kernel, kernel, s, 1, n, (size_t)n * (per)); }
#define INTEGERS(DO) DO(signed char) DO(unsigned char) DO(short) DO(unsigned short) DO(int) DO(unsigned) DO(long long) DO(unsigned long long)

int main() {
    ONE(layout::sizes_of_numbers, 36); ONE(layout::sizes_of_vectors, 62); ONE(layout::sizes_of_structs, 48); ONE(layout::offsets_of_members, 20);
    ONE(layout::addresses_of_members, 9); ONE(layout::sizes_of_expressions, 32); ONE(layout::bytes_of_a_struct, 128);
#define DO(T) EACH(integers::arithmetic<T>, pairs<T>(), 2, 3) EACH(integers::division<T>, pairs<T>(), 2, 2) EACH(integers::shifts<T>, shift_pairs<T>(), 2, 2) \
              EACH(integers::compound<T>, pairs<T>(), 2, 5)
    INTEGERS(DO)
#undef DO
#define DO(T) EACH(integers::bitwise<T>, pairs<T>(), 2, 6)
    DO(signed char) DO(unsigned short) DO(int) DO(unsigned long long)
#undef DO
#define DO(T) EACH(integers::promoted<T>, pairs<T>(), 2, 8)
    DO(signed char) DO(unsigned char) DO(short) DO(unsigned short)
#undef DO
#define DO(A, B) { auto s = small_pairs(); int n = s.values.size() / 2; run("integers::mixed<" #A ", " #B ">", integers::mixed<A, B>, s, 1, n, 8 * n); }
    DO(int, unsigned) DO(signed char, unsigned) DO(unsigned short, int) DO(int, long long) DO(unsigned, long long) DO(int, unsigned long long) DO(bool, int)
    DO(char, unsigned char) DO(short, unsigned short) DO(long long, unsigned long long) DO(unsigned, unsigned char)
#undef DO
    EACH(integers::narrowing, wide(), 1, 8); ONE(integers::counters_wrap, 40); ONE(integers::literals, 64); ONE(integers::truth, 16);
#define DO(T) EACH(floats::real_arithmetic<T>, pairs<T>(), 2, 4) EACH(floats::comparisons<T>, pairs<T>(), 2, 1) EACH(floats::extremes<T>, pairs<T>(), 2, 6) \
              EACH(floats::roundings<T>, reals<T>(), 1, 7) EACH(floats::classes<T>, reals<T>(), 1, 1)
    DO(float) DO(double)
#undef DO
    EACH(floats::extremes_f, pairs<float>(), 2, 4) EACH(floats::roundings_f, reals<float>(), 1, 8) EACH(floats::float_to_integers, reals<float>(), 1, 16)
    EACH(floats::double_to_integers, reals<double>(), 1, 16) EACH(floats::nearest_integers, reals<float>(), 1, 6) EACH(floats::integers_to_float, wide(), 1, 16)
    EACH(floats::integers_to_double, wide(), 1, 8) EACH(floats::double_to_float, doubles_to_round(), 1, 5) EACH(floats::directed_f, pairs<float>(), 2, 12)
    EACH(floats::directed_d, pairs<double>(), 2, 8) EACH(floats::roots, reals<float>(), 1, 4) EACH(floats::pieces, reals<float>(), 1, 9)
    EACH(floats::remainders, pairs<float>(), 2, 2) ONE(floats::usual_conversions, 46);
    EACH(bits::counting, words<unsigned long long>(), 1, 8) EACH(bits::products, words<unsigned>(), 2, 10) EACH(bits::differences, words<unsigned>(), 2, 4)
    EACH(bits::permutations, words<unsigned>(), 2, 9) EACH(bits::dot_products, words<unsigned>(), 2, 6) EACH(bits::two_halves, words<unsigned>(), 2, 14)
    EACH(bits::four_bytes, words<unsigned>(), 2, 20) EACH(bits::reinterpreted, words<unsigned>(), 2, 6)
#define WARP(kernel, T, outs) run(#kernel, kernel, counted<T>(), 1, 32, outs)
    WARP(warps::shuffles_with_width, int, 256); WARP(warps::shuffled<int>, int, 64); WARP(warps::shuffled<unsigned long long>, unsigned long long, 64);
    WARP(warps::shuffled<float>, float, 64); WARP(warps::shuffled<double>, double, 64); WARP(warps::votes, int, 192); WARP(warps::votes_in_branches, int, 64);
    WARP(warps::matches, int, 160); WARP(warps::reductions, int, 256); WARP(warps::reductions_in_halves, int, 32);
    run("warps::block_votes", warps::block_votes, counted<int>(), 1, 64, 192); run("warps::places", warps::places, counted<int>(), 2, 64, 64);
    run("warps::warp_sum", warps::warp_sum, counted<int>(), 1, 64, 2);
#define DO(T) run("atomics::in_turn<" #T ">", atomics::in_turn<T>, counted<T>(), 1, 1, 24);
    DO(int) DO(unsigned) DO(unsigned long long)
#undef DO
    run("atomics::subtractions<int>", atomics::subtractions<int>, counted<int>(), 1, 1, 6);
    run("atomics::subtractions<unsigned>", atomics::subtractions<unsigned>, counted<unsigned>(), 1, 1, 6);
    run("atomics::signed_extremes", atomics::signed_extremes, counted<long long>(), 1, 1, 10);
    run("atomics::counting_round", atomics::counting_round, counted<unsigned>(), 1, 1, 64);
    run("atomics::real_sums<float>", atomics::real_sums<float>, counted<float>(), 1, 1, 12);
    run("atomics::real_sums<double>", atomics::real_sums<double>, counted<double>(), 1, 1, 12);
    run("atomics::narrow_swaps", atomics::narrow_swaps, counted<unsigned short>(), 1, 1, 12);
    run("atomics::scopes", atomics::scopes, counted<int>(), 2, 32, 48); run("atomics::votes_of_many", atomics::votes_of_many, counted<int>(), 1, 64, 16);
    run("atomics::own_atomic", atomics::own_atomic, tenths<double>(), 2, 64, 1);
    ONE(pointers::differences_of_pointers, 22); ONE(pointers::bytes_of_words, 12); run("pointers::vectors_of_numbers", pointers::vectors_of_numbers, tenths<float>(), 1, 32, 256);
    run("pointers::packed_bytes", pointers::packed_bytes, some_bytes(), 1, 32, 128); run("pointers::wide_integers", pointers::wide_integers, many(), 1, 64, 256);
    run("pointers::structures", pointers::structures, tenths<float>(), 1, 32, 96); ONE(pointers::linked, 2); ONE(pointers::views, 1); ONE(pointers::spaces, 12);
    run("pointers::one_pointer_many_spaces", pointers::one_pointer_many_spaces, counted<int>(), 1, 32, 32); ONE(pointers::symbols, 11);
    run("pointers::extern_shared", pointers::extern_shared, counted<int>(), 1, 32, 96, 288); run("pointers::two_dimensions", pointers::two_dimensions, counted<int>(), 1, 32, 64);
    run("pointers::cached", pointers::cached, many(), 1, 64, 384); ONE(pointers::copies, 8);
#define DO(kernel, outs) run("statements::" #kernel, statements::kernel, counted<int>(), 1, 32, outs);
    DO(falling_through, 32) DO(switch_in_loop, 32) DO(loops, 32) DO(nested, 32) DO(conditional_targets, 64)
#undef DO
    ONE(statements::shadows, 8); ONE(statements::arrays, 6);
    ONE(functions::overloads, 20); ONE(functions::calls, 16); run("functions::recursion", functions::recursion, counted<int>(), 1, 32, 32); ONE(functions::templates, 13);
    ONE(functions::members, 7); run("functions::pointers_to_functions", functions::pointers_to_functions, counted<int>(), 1, 32, 96); ONE(functions::enumerations, 9); ONE(functions::lines, 5); ONE(functions::texts, 1);
    ONE(objects::copies_of_structs, 11); ONE(objects::constructed, 9); WARP(objects::structs_in_shared_memory, int, 64); ONE(objects::references, 5); ONE(objects::lambdas, 3);
    ONE(objects::ranges, 2); ONE(objects::casts, 16); WARP(objects::macros, int, 32);
#define DO(kernel, blocks, threads, outs) run("algorithms::" #kernel, algorithms::kernel, many(), blocks, threads, outs);
    DO(hashes, 2, 128, 256) DO(random_numbers, 2, 128, 256) DO(philox, 1, 64, 256) DO(crc32, 2, 100, 200) DO(collatz, 2, 128, 256) DO(number_theory, 2, 128, 768)
    DO(scans, 2, 128, 512) DO(warp_scans, 2, 128, 512) run("algorithms::bitonic_sort", algorithms::bitonic_sort, many(), 2, 128, 256, 512); DO(radix_ranks, 1, 32, 32)
    DO(searches, 2, 128, 256) DO(transpose, 1, 16, 256) DO(matrix_product, 1, 16, 256) DO(life, 1, 256, 256) DO(ticket_lock, 4, 128, 2) DO(union_find, 1, 128, 64)
    DO(base64, 1, 128, 512) DO(mandelbrot, 2, 128, 256) DO(stack_machine, 1, 64, 64) DO(dense_words, 2, 128, 256)
#undef DO
#define DO(name) EACH(math::name##_f, angles<float>(), 1, 1) EACH(math::name##_d, angles<double>(), 1, 1)
    DO(sin) DO(cos) DO(tan) DO(asin) DO(acos) DO(atan) DO(sinh) DO(cosh) DO(tanh) DO(asinh) DO(acosh) DO(atanh) DO(exp) DO(exp2) DO(exp10) DO(expm1) DO(log) DO(log2)
    DO(log10) DO(log1p) DO(sqrt) DO(rsqrt) DO(cbrt) DO(rcbrt) DO(erf) DO(erfc) DO(erfcx) DO(erfinv) DO(erfcinv) DO(normcdf) DO(normcdfinv) DO(tgamma) DO(lgamma)
    DO(sinpi) DO(cospi) DO(j0) DO(j1) DO(y0) DO(y1) DO(cyl_bessel_i0) DO(cyl_bessel_i1)
#undef DO
#define DO(name) EACH(math::name##_f, sides<float>(), 2, 1) EACH(math::name##_d, sides<double>(), 2, 1)
    DO(pow) DO(atan2) DO(hypot) DO(rhypot) DO(fmod) DO(remainder) DO(fdim) DO(nextafter)
#undef DO
    EACH(math::overloads_f, angles<float>(), 1, 6) EACH(math::in_parts, angles<double>(), 1, 8) EACH(math::lengths, sides<float>(), 2, 4)
    EACH(half_precision::to_half, to_halves(), 1, 4) EACH(half_precision::from_half, all_halves(), 1, 1) EACH(half_precision::half_arithmetic, half_pairs(), 2, 8)
    EACH(half_precision::half_operators, half_pairs(), 2, 3) EACH(half_precision::half_to_integers, to_halves(), 1, 4) EACH(half_precision::halves_in_pairs, half_pairs(), 2, 4)
    ONE(output::integers_printed, 1); ONE(output::reals_printed, 1); ONE(output::returned, 4); run("output::threads_printed", output::threads_printed, counted<int>(), 1, 32, 1); run("output::one_of_two_texts", output::one_of_two_texts, counted<int>(), 1, 32, 1);

    cudaDeviceProp device;
    int driver;
    CK(cudaGetDeviceProperties(&device, 0));
    CK(cudaDriverGetVersion(&driver));
    printf("{\"header\": {\"what\": \"What small kernels in CUDA C++ gave (language/*.cu, run by language/record.cu)\",\n"
           " \"machine\": {\"device\": \"%s\", \"cuda\": \"nvcc %d.%d.%d, -std=c++17 -arch=sm_90\", \"driver\": \"CUDA %d.%d\"},\n"
           " \"fields\": {\"input\": \"the first argument, one of `inputs`\", \"outputs\": \"the second, zeros before the launch, as numbers of `type`\"}},\n\"inputs\": {",
           device.name, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__, driver / 1000, driver % 1000 / 10);
    bool first = true;
    for (auto& [name, values] : inputs) { printf("%s\n %s: %s", first ? "" : ",", quoted(name).c_str(), values.c_str()); first = false; }
    printf("},\n\"records\": [");
    for (size_t i = 0; i < records.size(); i++) printf("%s\n %s", i ? "," : "", records[i].c_str());
    printf("]}\n");
}
