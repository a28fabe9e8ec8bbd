// What C does with numbers: promotions, conversions, wrap-around, shifts.
#include <cstdint>

// char and short become int before they are added; only the store cuts the sum to 8 bits.
__global__ void promotions(const signed char* a, const unsigned char* b, const short* c, int* sums, unsigned char* cut)
{
    int i = threadIdx.x;
    sums[i] = a[i] + b[i] * c[i];
    cut[i] = a[i] + b[i];
}

// Where an int meets an unsigned, the int becomes unsigned: -1 < 1u is false.
__global__ void mixed_signs(const int* a, const unsigned* b, int* less, unsigned* quotient, long long* wide)
{
    int i = threadIdx.x;
    less[i] = a[i] < b[i];
    quotient[i] = a[i] / b[i];
    wide[i] = a[i] - (long long)b[i];
}

// Toward zero: -7 / 2 is -3 and -7 % 2 is -1.
__global__ void truncating_division(const int* a, const int* b, int* quotients, int* remainders)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    quotients[i] = a[i] / b[i];
    remainders[i] = a[i] % b[i];
}

__global__ void shifts(const int* x, const unsigned* count, int* arithmetic, unsigned* logical, unsigned long long* high)
{
    int i = threadIdx.x;
    arithmetic[i] = x[i] >> count[i];
    logical[i] = (unsigned)x[i] >> count[i];
    high[i] = 1ull << (count[i] + 32);
}

__global__ void bit_tricks(const uint32_t* x, uint32_t* lowest, uint32_t* gray, uint32_t* ones, bool* power)
{
    const int i = threadIdx.x;
    uint32_t v = x[i];
    lowest[i] = v & -v;
    gray[i] = v ^ (v >> 1);
    power[i] = v && !(v & (v - 1));
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    v = (v + (v >> 4)) & 0x0F0F0F0Fu;
    ones[i] = (v * 0x01010101u) >> 24;
}

// Integers are cut or extended, floating numbers lose their fraction, and all but zero is true.
__global__ void conversions(const double* x, int* whole, float* single, long long* wide, short* cut, bool* truth)
{
    int i = threadIdx.x;
    whole[i] = (int)x[i];
    single[i] = float(x[i]);
    wide[i] = static_cast<long long>(x[i] * 1e9);
    cut[i] = (short)(whole[i] * 1000);
    truth[i] = x[i];
}

__global__ void sizes(unsigned long* out)
{
    int k = 0;
    out[k++] = sizeof(bool);
    out[k++] = sizeof(char);
    out[k++] = sizeof(unsigned short);
    out[k++] = sizeof(int);
    out[k++] = sizeof(long);
    out[k++] = sizeof(long long);
    out[k++] = sizeof(float);
    out[k++] = sizeof(double);
    out[k++] = sizeof(float*);
    out[k++] = sizeof(int8_t) + sizeof(uint16_t) + sizeof(int32_t) + sizeof(uint64_t);
    out[k++] = sizeof(size_t);
    out[k++] = sizeof out[0];
    out[k++] = sizeof('a' + 'b');
    out[k++] = sizeof(1.0f * 2);
    out[k++] = sizeof(1.0f * 2.0);
}

__global__ void literals(long long* out)
{
    out[0] = 'A' + '\n' + '\x41' + '\0';
    out[1] = 0x7fffffff + 1u;
    out[2] = 5u - 6;
    out[3] = 5u - 6ll;
    out[4] = 077 + 0b101;
    out[5] = 10 / 4 * 2.5;
    out[6] = 1e3f + .5 + 2.;
    out[7] = -1 > 0u;
    out[8] = 1'000'000'007LL * 3;
    out[9] = ~0u >> 28;
    out[10] = 0xffffffff;
    out[11] = (unsigned char)300 + (signed char)200;
    out[12] = true + true;
    out[13] = 0x1p4f;
}

// A compound assignment computes in the wider type and cuts the result back.
__global__ void compound(const int* x, unsigned char* bytes, short* shorts, int* ints, float* singles)
{
    int i = threadIdx.x;
    bytes[i] += 200;
    shorts[i] *= x[i];
    shorts[i] -= 1;
    ints[i] *= 1.5f;
    ints[i] <<= 2;
    ints[i] |= 1;
    ints[i] ^= 0xff;
    ints[i] %= 1000;
    singles[i] /= 4;
    singles[i] += x[i] >> 1;
    bytes[i] >>= 1;
    bytes[i] &= ~1;
}

__global__ void increments(int* out)
{
    int i = 5, j = 5;
    out[0] = i++ + 10;
    out[1] = ++j + 10;
    out[2] = i-- - --j;
    out[3] = i + j;
    unsigned char byte = 255;
    byte++;
    out[4] = byte;
    unsigned wrapped = 0;
    --wrapped;
    out[5] = wrapped >> 16;
    float f = 1.5f;
    f++;
    out[6] = f * 2;
    int a, b, c;
    a = b = c = 7;
    out[7] = a + b + c;
}

// 64-bit products of 32-bit factors, as modular arithmetic needs them.
__global__ void modular_power(const uint32_t* base, const uint32_t* exponent, uint32_t modulus, uint32_t* out)
{
    int i = threadIdx.x;
    uint64_t result = 1, square = base[i] % modulus;
    for (uint32_t e = exponent[i]; e; e >>= 1, square = square * square % modulus)
        if (e & 1)
            result = result * square % modulus;
    out[i] = (uint32_t)result;
}

// double, float and int in one expression; single precision rounds where double does not.
__global__ void precision(const float* x, float* single, double* doubled, float* through_double)
{
    int i = threadIdx.x;
    single[i] = x[i] / 3;
    doubled[i] = x[i] / 3.0;
    through_double[i] = x[i] * 0.1 + 1 / 3;
}
