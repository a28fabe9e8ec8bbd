// What a kernel can say: printf and assert.
#include <assert.h>
#include <stdio.h>

__global__ void hello()
{
    printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

__global__ void formats(double x, long long wide)
{
    printf("%d|%5d|%-5d|%05d|%+d\n", 42, 42, 42, 42, 42);
    printf("%u|%x|%X|%o|%c|%%\n", 3000000000u, 255, 255, 8, 'q');
    printf("%f|%.2f|%8.3f|%e|%g\n", x, x, x, x, x);
    printf("%lld|%llu|%ld|%s\n", wide, (unsigned long long)wide, (long)wide, "text");
    printf("no newline");
    printf("\n");
}

__global__ void odd_threads(const float* values)
{
    int i = threadIdx.x;
    if (i % 2)
        printf("thread %d: %.1f\n", i, values[i]);
}

__global__ void asserted(const int* x, int* out)
{
    int i = threadIdx.x;
    assert(x[i] >= 0);
    assert(x[i] < 100 && "too large");
    out[i] = x[i];
}

// A text is an array of characters that nobody writes to; two of them may be behind one pointer.
__device__ int length(const char* text)
{
    int n = 0;
    while (text[n])
        n++;
    return n;
}

__global__ void texts(int* out)
{
    int t = threadIdx.x;
    const char* parity = t % 2 ? "odd" : "even";
    out[4 * t] = length(parity);
    out[4 * t + 1] = parity[0];
    out[4 * t + 2] = "0123456789abcdef"[t % 16];
    out[4 * t + 3] = length("");
}
