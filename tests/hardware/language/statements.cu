// What do C++'s statements do: falling through, breaking, shadowing, short circuits?
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void falling_through(const int* x, int* out) {
    int n = 0;
    switch (x[I] % 8) {
        case 0: n += 1;
        case 1: n += 10; break;
        default: n += 100;
        case 2:
        case 3: n += 1000;
            if (I > 16) break;
            n += 5;
        case 7: n += 10000; break;
        case 4: { int n = 3; n++; }
    }
    out[I] = n;
}

__global__ void switch_in_loop(const int* x, int* out) {
    int n = 0;
    for (int i = 0; i < 10; i++) {
        switch ((x[I] + i) % 5) {
            case 0: continue;
            case 1: n += i; break;
            case 2: { n *= 2; continue; }
            case 3: if (i == 7) break; n -= 1;
            default: n += 3;
        }
        n ^= 1;
    }
    out[I] = n;
}

__global__ void loops(const int* x, int* out) {
    int n = 0, i = 0;
    while (true) { if (i++ > x[I] % 7) break; n += i; }
    do { n += 100; i--; } while (i > 3);
    for (;;) { if (++i > 6) break; if (i % 2) continue; n += 1000; }
    for (int a = 0, b = x[I]; a < b; a++, b--) n += 10000;
    for (unsigned k = 3; k-- > 0;) n += k;
    out[I] = n;
}

__global__ void nested(const int* x, int* out) {
    int n = 0;
    for (int i = 0; i < 5; i++) {
        for (int j = i; j < 8; j += 1 + (x[I] & 1)) {
            if (j == 6) break;
            if ((i + j + I) % 3 == 0) continue;
            int k = j;
            while (k) { k /= 2; n++; if (n > 40) return; }
            out[I] = n;
        }
        if (i == x[I] % 4 + 1) break;
    }
    out[I] = n * 10;
}

__global__ void shadows(const int* x, int* out) {
    int n = 1;
    {
        int n = 2;
        n++;
        out[0] = n;
        for (int n = 10; n < 12; n++) out[1] = n;
    }
    if (int k = x[3]) out[2] = k + n;
    else out[2] = -k;
    for (int i = 0; i < 2; i++) { static const int step = 4; int x = i * step; out[3 + i] = x; }
    out[5] = n;
    ;
    int a = 1, *p = &a, b[2] = {3}, &r = b[1];
    *p = 9;
    r = 4;
    out[6] = a + b[0] * 10 + b[1] * 100;
    const auto doubled = a * 2.5;
    out[7] = doubled * 2;
}

__global__ void conditional_targets(const int* x, int* out) {
    int a = 1, b = 2;
    (x[I] & 1 ? a : b) = 10;
    int* p = x[I] & 2 ? &a : &b;
    *p += 5;
    (a > b ? out[2 * I] : out[2 * I + 1]) = a * 100 + b;
}

__global__ void arrays(const int* x, int* out) {
    int a[5] = {1, 2}, b[] = {5, 6, 7}, c[2][3] = {{1, 2, 3}, {4}}, d[2][2] = {1, 2, 3, 4}, e[3] = {};
    float f[2] = {1, 2.5f};
    int s = 0;
    for (int i = 0; i < 5; i++) s = s * 3 + a[i];
    for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s = s * 3 + c[i][j];
    out[0] = s; out[1] = b[2] + d[1][0] * 10 + e[2]; out[2] = f[1] * 2; out[3] = a[x[1]]; out[4] = sizeof b;
    a[x[2]] = 7;
    a[a[0]]++;
    out[5] = a[1] + a[2] * 10;
}
