// What does printf print?
#include <cstdio>

__global__ void integers_printed(const int* x, int* out) {
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%i]\n", x[42], x[42], x[42], x[42], x[42], x[42], -x[42]);
    printf("[%u] [%x] [%X] [%#x] [%o] [%#o] [%08x]\n", x[255 % 64], 255, 255, 255, 8, 8, -1);
    printf("[%lld] [%llu] [%llx] [%ld] [%lu] [%hd]\n", -1ll, ~0ull, 0x123456789abcdefull, -5l, 5ul, (short)-3);
    printf("[%c] [%3c] [%-3c] [%s] [%6s] [%-6s] [%.2s] [%%]\n", 'a', 'b', 'c', "word", "word", "word", "word");
    printf("[%.3d] [%8.3d] [%-8.3d] [%3d]\n", 7, 7, 7, 12345);
    printf("unsigned as signed: %d, char: %d, bool: %d, enum: %d\n", 4294967295u, 'a', true, 3);
}

__global__ void reals_printed(const int* x, int* out) {
    float f = 3.14159265f;
    double d = x[2] / 3.0;
    printf("[%f] [%.2f] [%8.3f] [%-8.3f] [%08.3f] [%+f]\n", f, f, f, f, f, f);
    printf("[%e] [%.2e] [%E] [%g] [%G] [%.3g] [%g] [%g]\n", d, d, d, d, d, d, 1e10, 1e-10);
    printf("[%g] [%g] [%f] [%e] [%5.1f]\n", 100000.0, 1000000.0, 1e20, 0.0, -0.05);
    printf("[%f] [%f] [%g] [%F]\n", x[1] / 0.0, -x[1] / 0.0, x[1] / 0.0, 1.5);
    printf("[%a] [%.0f] [%#.0f] [%g]\n", 1.0, 2.5, 2.5, 0.1f);
}

__global__ void returned(const int* x, int* out) {
    out[0] = printf("no arguments\n");
    out[1] = printf("%d\n", x[1]);
    out[2] = printf("%d %d %s\n", x[1], x[2], "three");
    out[3] = printf("");
}

__global__ void threads_printed(const int* x, int* out) {
    if (threadIdx.x % 8 == 3) printf("block %d, thread %d\n", blockIdx.x, threadIdx.x);
    if (threadIdx.x == 31) printf("last\n");
}

__global__ void one_of_two_texts(const int* x, int* out) {
    if (threadIdx.x % 8 == 3) printf("thread %d: %s\n", threadIdx.x, threadIdx.x > 16 ? "late" : "early");
}
