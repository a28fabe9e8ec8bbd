// What do C++'s integers give: promotions, wrap-around, truncation, division by zero, shifts beyond the width?
#define I (blockIdx.x * blockDim.x + threadIdx.x)

template <class T> __global__ void arithmetic(const T* x, T* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[3 * I] = a + b;
    out[3 * I + 1] = a - b;
    out[3 * I + 2] = a * b;
}

template <class T> __global__ void division(const T* x, T* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[2 * I] = a / b;
    out[2 * I + 1] = a % b;
}

template <class T> __global__ void bitwise(const T* x, T* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[6 * I] = a & b;
    out[6 * I + 1] = a | b;
    out[6 * I + 2] = a ^ b;
    out[6 * I + 3] = ~a;
    out[6 * I + 4] = -a;
    out[6 * I + 5] = !a + (a && b) * 2 + (a || b) * 4;
}

template <class T> __global__ void shifts(const T* x, T* out) {
    T a = x[2 * I], count = x[2 * I + 1];
    out[2 * I] = a << count;
    out[2 * I + 1] = a >> count;
}

template <class T> __global__ void compound(const T* x, T* out) {
    T a = x[2 * I], b = x[2 * I + 1], before = a++;
    out[5 * I] = before;
    a += b;
    out[5 * I + 1] = a;
    a *= 3;
    a -= 1;
    out[5 * I + 2] = a;
    a <<= 2;
    a ^= b;
    out[5 * I + 3] = --a;
    a += 1.5f;
    out[5 * I + 4] = a >> 1;
}

template <class T> __global__ void promoted(const T* x, long long* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[8 * I] = a + b;
    out[8 * I + 1] = a - b;
    out[8 * I + 2] = ~a;
    out[8 * I + 3] = -a;
    out[8 * I + 4] = a << 4;
    out[8 * I + 5] = a >> 1;
    out[8 * I + 6] = a < b;
    out[8 * I + 7] = b ? a / b : a;
}

template <class A, class B> __global__ void mixed(const long long* x, long long* out) {
    A a = (A)x[2 * I];
    B b = (B)x[2 * I + 1];
    out[8 * I] = a + b;
    out[8 * I + 1] = a - b;
    out[8 * I + 2] = a * b;
    out[8 * I + 3] = b ? a / b : -1;
    out[8 * I + 4] = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a > b);
    out[8 * I + 5] = I % 2 ? a : b;
    out[8 * I + 6] = a & b;
    out[8 * I + 7] = sizeof(a + b);
}

__global__ void narrowing(const long long* x, long long* out) {
    long long a = x[I];
    out[8 * I] = (signed char)a;
    out[8 * I + 1] = (unsigned char)a;
    out[8 * I + 2] = (short)a;
    out[8 * I + 3] = (unsigned short)a;
    out[8 * I + 4] = (int)a;
    out[8 * I + 5] = (unsigned)a;
    out[8 * I + 6] = (bool)a;
    out[8 * I + 7] = (char)a;
}

__global__ void counters_wrap(const int* x, int* out) {
    unsigned char u = 250;
    signed char s = 120;
    unsigned short h = 65530;
    bool b = 2;
    for (int i = 0; i < 10; i++) {
        u++;
        ++s;
        h += 3;
        out[4 * i] = u;
        out[4 * i + 1] = s;
        out[4 * i + 2] = h--;
        out[4 * i + 3] = b + 1;
        b = i & 2;
    }
}

__global__ void literals(const int* x, long long* out) {
    long long values[] = {
        0xFF, 0b1011, 017, 1'000'000, 0x80000000 > 0, -1 < 0u, 2147483648 > 0, 'a', '\n', '\x41', '\0', '\'', '\\', '\101',
        0xFFFFFFFFFFFFFFFF == -1, 10 / 3, -10 / 3, -10 % 3, 10 % -3, 7 >> 1, -7 >> 1, 1u << 31, 5 & 6 | 1, 1 + 2 * 3 - 4 / 2,
        !5, ~0, 5 == 5 == 1, 3 > 2 > 1, 1 ? 2 : 3 ? 4 : 5, (1, 2), -5 / 2 * 2, 1 << 2 + 1, 6 & 3 == 3, 2 | 4 ^ 4, !0 + !0,
        -1u, -1u / 2, 0u - 1 > 5, -1 > 1u, (unsigned char)-1 > 1, (signed char)200 < 0, 'a' + 1, 3 - -3, - -3, 7 % 4 * 2,
        0xffffffff + 1, 0xffffffffLL + 1, 4000000000 + 1, 2147483647 + 1u, 1ull << 40, true + true, 'b' - 'a', 10 - 4 - 3,
    };
    for (int i = 0; i < sizeof(values) / sizeof(values[0]); i++) out[i] = values[i];
}

__global__ void truth(const int* x, int* out) {
    int n = 0, k = x[3];
    out[0] = k && ++n;
    out[1] = n;
    out[2] = !k && ++n;
    out[3] = n;
    out[4] = k || ++n;
    out[5] = n;
    out[6] = (n = 5, n + 1);
    out[7] = k > 2 ? n++ : n--;
    out[8] = n;
    out[9] = !!k + !k;
    out[10] = (k == 3) == true;
    bool b = k;
    out[11] = b;
    b += 5;
    out[12] = b;
    out[13] = k & 1 && k & 4;
    out[14] = -k < 0u;
    out[15] = n = k = 9;
}
