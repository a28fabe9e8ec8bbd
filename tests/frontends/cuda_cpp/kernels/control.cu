// Control flow: loops, switches, conditions and their side effects.

__global__ void collatz(const unsigned* start, int* steps, unsigned* peaks)
{
    unsigned n = start[threadIdx.x], peak = n;
    int count = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (n > peak)
            peak = n;
        count++;
    }
    steps[threadIdx.x] = count;
    peaks[threadIdx.x] = peak;
}

__global__ void digit_sums(const int* x, int* sums, int* digits)
{
    int rest = x[threadIdx.x], sum = 0, count = 0;
    do {
        sum += rest % 10;
        count++;
    } while (rest /= 10);
    sums[threadIdx.x] = sum;
    digits[threadIdx.x] = count;
}

// Without a break the next case runs too; default may stand anywhere.
__global__ void fall_through(const int* x, int* out)
{
    int value = 0;
    switch (x[threadIdx.x]) {
    default:
        value += 1000;
    case 3:
        value += 1;
    case 2:
        value += 10;
        break;
    case 4:
    case 5: {
        int local = 7;
        value = local;
        break;
    }
    case -1:
        return;
    case 'a':
        value = 'b';
    }
    out[threadIdx.x] = value;
}

// A break leaves the switch, a continue the round of the loop.
__global__ void switch_in_a_loop(const char* program, int length, int* results)
{
    int accumulator = threadIdx.x;
    for (int pc = 0; pc < length; ++pc) {
        switch (program[pc]) {
        case '+': accumulator += 3; break;
        case '*': accumulator *= 2; break;
        case '?':
            if (accumulator % 2 == 0)
                continue;
            accumulator -= 1;
            break;
        case '.': pc = length; break;
        default: accumulator = -accumulator;
        }
        accumulator++;
    }
    results[threadIdx.x] = accumulator;
}

__global__ void primes(int* counts, int limit)
{
    int found = 0;
    for (int n = 2 + threadIdx.x; n < limit; n += blockDim.x) {
        bool prime = true;
        for (int d = 2; d * d <= n; d++) {
            if (n % d != 0)
                continue;
            prime = false;
            break;
        }
        if (prime)
            found++;
    }
    counts[threadIdx.x] = found;
}

// The right side of && and || runs only where the left side leaves the answer open.
__global__ void short_circuit(const int* x, int n, int* out, int* calls)
{
    int i = threadIdx.x, evaluated = 0;
    bool both = i < n && (evaluated++, x[i] > 0);
    bool either = i >= n || ++evaluated > 5 || x[i] == 0;
    out[i] = both + 2 * either;
    calls[i] = evaluated;
}

__global__ void ternary_chain(const float* x, char* grades, float* chosen)
{
    float v = x[threadIdx.x];
    grades[threadIdx.x] = v >= 0.9f ? 'A' : v >= 0.5f ? 'B' : v >= 0 ? 'C' : 'F';
    float low = 0, high = 0;
    (v < 0 ? low : high) = v;
    chosen[threadIdx.x] = high - low + (v > 0.5f ? 1 : 2.5);
}

__global__ void comma_operator(int* out)
{
    int a, b, sum = 0;
    for (a = 0, b = threadIdx.x; a < b; a++, b--)
        sum += (a + 1, b - a);
    out[threadIdx.x] = sum;
}

__global__ void grid_stride(const float* x, float* y, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

__device__ unsigned gcd(unsigned a, unsigned b)
{
    for (;;) {
        if (b == 0)
            return a;
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
}

__global__ void euclid(const unsigned* a, const unsigned* b, unsigned* out)
{
    int i = threadIdx.x;
    if (unsigned divisor = gcd(a[i], b[i]); divisor > 1)
        out[i] = a[i] / divisor;
    else
        out[i] = 0;
}

// An unsigned counter never falls below zero: the loop tests before it counts.
__global__ void count_down(const int* x, int n, long long* out)
{
    long long value = 0;
    for (unsigned k = n; k-- > 0;)
        value = value * 3 + x[k];
    if (threadIdx.x)
        if (threadIdx.x > 10)
            value = 1;
        else
            value = 2;
    out[threadIdx.x] = value;
}

// Three levels of loops, left early.
__global__ void pythagorean(int* triples, int limit)
{
    int c = threadIdx.x + 1, found = 0;
    bool searching = true;
    for (int a = 1; a < c && searching; a++)
        for (int b = a; b < c; b++) {
            if (a * a + b * b > c * c) break;
            if (a * a + b * b == c * c) {
                found = a;
                searching = false;
                break;
            }
        }
    while (true) {
        if (found || limit-- <= 0) break;
        ;
    }
    triples[threadIdx.x] = found;
}
