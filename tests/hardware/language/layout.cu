// How large is each type, where do its members lie, and what must its address divide by?
#include <cstddef>

struct Mixed { char c; double d; short s; };
struct Tail { double d; char c; };
struct Inner { char c; short s; };
struct Outer { char c; Inner in[3]; int i; };
struct Small { bool b; signed char s; unsigned char u; };
struct Pointing { char c; int* p; unsigned short s; };
struct __align__(16) Aligned { float x, y, z; };
struct alignas(8) Pair { float a, b; };
struct Vec3 { float x, y, z; };
struct HasFloat4 { float a; float4 v; char c; };
struct HasDouble3 { char c; double3 v; };
struct HasInt3 { char c; int3 v; char d; };
union Word { int i; float f; unsigned char bytes[4]; };
union Wide { char c[5]; double d; };
struct WithUnion { char c; Word w; };
enum Colour { RED, GREEN = 5, BLUE };
enum class Tiny : unsigned char { A, B };
struct Enums { char c; Colour colour; Tiny tiny; };
struct Matrix { float m[3][4]; char tag; };
struct Members { int n; __device__ int twice() const { return 2 * n; } };
struct HasAligned { char c; Aligned a; char d; };
typedef struct { long l; char c; } Anonymous;

#define BOTH(T) out[n++] = sizeof(T); out[n++] = alignof(T)

__global__ void sizes_of_numbers(const int* x, unsigned* out) {
    int n = 0;
    BOTH(bool); BOTH(char); BOTH(signed char); BOTH(unsigned char); BOTH(short); BOTH(unsigned short);
    BOTH(int); BOTH(unsigned); BOTH(long); BOTH(unsigned long); BOTH(long long); BOTH(unsigned long long);
    BOTH(float); BOTH(double); BOTH(int*); BOTH(const char*); BOTH(size_t); BOTH(ptrdiff_t);
}

__global__ void sizes_of_vectors(const int* x, unsigned* out) {
    int n = 0;
    BOTH(char1); BOTH(char2); BOTH(char3); BOTH(char4); BOTH(uchar2); BOTH(uchar3); BOTH(uchar4);
    BOTH(short2); BOTH(short3); BOTH(short4); BOTH(ushort2); BOTH(ushort4);
    BOTH(int1); BOTH(int2); BOTH(int3); BOTH(int4); BOTH(uint2); BOTH(uint3); BOTH(uint4);
    BOTH(longlong1); BOTH(longlong2); BOTH(longlong3); BOTH(ulonglong2);
    BOTH(float1); BOTH(float2); BOTH(float3); BOTH(float4); BOTH(double1); BOTH(double2); BOTH(double3); BOTH(dim3);
}

__global__ void sizes_of_structs(const int* x, unsigned* out) {
    int n = 0;
    BOTH(Mixed); BOTH(Tail); BOTH(Inner); BOTH(Outer); BOTH(Small); BOTH(Pointing); BOTH(Aligned); BOTH(Pair); BOTH(Vec3);
    BOTH(HasFloat4); BOTH(HasDouble3); BOTH(HasInt3); BOTH(Word); BOTH(Wide); BOTH(WithUnion); BOTH(Colour); BOTH(Tiny);
    BOTH(Enums); BOTH(Matrix); BOTH(Members); BOTH(HasAligned); BOTH(Anonymous); BOTH(Vec3[5]); BOTH(Aligned[2]);
}

__global__ void offsets_of_members(const int* x, unsigned* out) {
    int n = 0;
    out[n++] = offsetof(Mixed, d); out[n++] = offsetof(Mixed, s); out[n++] = offsetof(Tail, c);
    out[n++] = offsetof(Outer, in); out[n++] = offsetof(Outer, i); out[n++] = offsetof(Small, u);
    out[n++] = offsetof(Pointing, p); out[n++] = offsetof(Pointing, s); out[n++] = offsetof(Aligned, z);
    out[n++] = offsetof(HasFloat4, v); out[n++] = offsetof(HasFloat4, c); out[n++] = offsetof(HasDouble3, v);
    out[n++] = offsetof(HasInt3, v); out[n++] = offsetof(HasInt3, d); out[n++] = offsetof(WithUnion, w);
    out[n++] = offsetof(Enums, colour); out[n++] = offsetof(Enums, tiny); out[n++] = offsetof(Matrix, tag);
    out[n++] = offsetof(HasAligned, a); out[n++] = offsetof(HasAligned, d);
}

__global__ void addresses_of_members(const int* x, unsigned* out) {
    Outer local[2];
    char* base = (char*)local;
    out[0] = (char*)&local[1] - base;
    out[1] = (char*)&local[1].c - base;
    out[2] = (char*)&local[1].in[2] - base;
    out[3] = (char*)&local[1].in[2].s - base;
    out[4] = (char*)&local[1].i - base;
    Matrix m;
    out[5] = (char*)&m.m[2] - (char*)&m;
    out[6] = (char*)&m.m[2][3] - (char*)&m;
    out[7] = (char*)&m.tag - (char*)&m;
    HasFloat4 h;
    out[8] = (char*)&h.v.w - (char*)&h;
}

__global__ void sizes_of_expressions(const int* x, unsigned* out) {
    short s = 1;
    char c = 2;
    float f = 3;
    int a[7];
    int b[3][5];
    unsigned char u = 4;
    out[0] = sizeof('a'); out[1] = sizeof(1); out[2] = sizeof(1L); out[3] = sizeof(1ull); out[4] = sizeof(1.f);
    out[5] = sizeof(1.); out[6] = sizeof(s + s); out[7] = sizeof(c + c); out[8] = sizeof(true + true); out[9] = sizeof("abc");
    out[10] = sizeof a; out[11] = sizeof(a) / sizeof(a[0]); out[12] = sizeof(b[0]); out[13] = sizeof(b); out[14] = sizeof(f + 1);
    out[15] = sizeof(f + 1.); out[16] = sizeof(s ? c : s); out[17] = sizeof(c ? 1 : 2ll); out[18] = sizeof(s << 3ll);
    out[19] = sizeof(s == 1); out[20] = sizeof(&a); out[21] = sizeof(*x); out[22] = sizeof(-u); out[23] = sizeof(!u);
    out[24] = sizeof(u += 1); out[25] = sizeof((char)1); out[26] = sizeof(2147483648); out[27] = sizeof(0x80000000);
    out[28] = sizeof(Vec3{}); out[29] = sizeof(threadIdx); out[30] = sizeof(threadIdx.x); out[31] = sizeof(s++);
}

__global__ void bytes_of_a_struct(const int* x, unsigned char* out) {
    Outer* o = (Outer*)out;
    o->c = 0x11;
    o->in[0].c = 0x22;
    o->in[2].s = 0x3344;
    o->i = 0x55667788;
    (o + 1)->i = -2;
    o[1].in[1].c = 'z';
    ((Mixed*)(out + 64))->d = -1.5;
    ((Mixed*)(out + 64))->s = 258;
    Word w;
    w.f = 1.0f;
    for (int i = 0; i < 4; i++) out[96 + i] = w.bytes[i];
    w.bytes[3] = 0x40;
    *(float*)(out + 100) = w.f;
    *(int*)(out + 104) = w.i;
    ((Enums*)(out + 112))->colour = BLUE;
    ((Enums*)(out + 112))->tiny = Tiny::B;
}
