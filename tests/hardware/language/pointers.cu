// What do pointers give: differences, comparisons, casts, windows, aliases?
#define I (blockIdx.x * blockDim.x + threadIdx.x)

struct Vec3 { float x, y, z; };
struct Node { int value; Node* next; };
struct View { const int* data; int n; __device__ int operator[](int i) const { return data[i]; } };

__constant__ int table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__constant__ struct { float scale; int shift[2]; } settings = {0.5f, {3, 4}};
__device__ int counter = 5;
__device__ float weights[4] = {1.5f, 2.5f};
__device__ int grid_of_numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};

__global__ void differences_of_pointers(const int* x, long long* out) {
    const int *p = x + 10, *q = &x[3];
    out[0] = p - q; out[1] = q - p; out[2] = p > q; out[3] = p == q + 7; out[4] = *(p - 4); out[5] = p[-2]; out[6] = *q++; out[7] = *q;
    out[8] = *++q; out[9] = (const char*)p - (const char*)x; out[10] = (p += 2) - x; out[11] = &p[1] - &q[1]; out[12] = 3[x]; out[13] = *(x + 1) + 1;
    out[14] = (const short*)p - (const short*)q; out[15] = p != nullptr; out[16] = !p; out[17] = (unsigned long long)x % 256; out[18] = ((const int*)0) == NULL;
    out[19] = (long long)(p + 1) - (long long)p; out[20] = x < p && p; out[21] = *&x[6];
}

__global__ void bytes_of_words(const int* x, int* out) {
    int word = 0x01020384;
    out[0] = *(char*)&word; out[1] = ((unsigned char*)&word)[1]; out[2] = *((short*)&word + 1); out[3] = *(signed char*)&word; out[4] = ((char*)x)[4 * 9];
    *((unsigned char*)&word + 3) = 0xff;
    out[5] = word;
    ((char*)out)[25] = 1;
    *(short*)((char*)out + 28) = -2;
    float f = -2.0f;
    out[8] = *(int*)&f; out[9] = *reinterpret_cast<const int*>(&f) >> 31; out[10] = (int)((const long long*)x)[2]; out[11] = (int)(((const long long*)x)[2] >> 32);
}

__global__ void vectors_of_numbers(const float* x, float* out) {
    float4 a = ((const float4*)x)[I];
    float2 b = *(const float2*)&x[2 * I];
    float3 c = *(const float3*)&x[3 * I];
    Vec3 v = ((const Vec3*)x)[I];
    a.x += b.y;
    a.w = c.z * v.y;
    reinterpret_cast<float4*>(out)[2 * I] = a;
    *(float4*)&out[8 * I + 4] = make_float4(b.x, c.x - c.y, v.z, a.x + a.y + a.z + a.w);
}

__global__ void packed_bytes(const uchar4* x, uchar4* out) {
    uchar4 p = x[I];
    p.x = p.x + p.y;
    p.w = ~p.z;
    out[I] = make_uchar4(p.w, p.z, p.y, p.x);
}

__global__ void wide_integers(const int4* x, int2* out) {
    int4 v = x[I];
    out[2 * I] = make_int2(v.x + v.w, v.y * v.z);
    int2* p = &out[2 * I + 1];
    p->x = v.x - v.y;
    p->y = v.z ^ v.w;
}

__global__ void structures(const Vec3* x, Vec3* out) {
    Vec3 a = x[I], b = {1, 2}, *p = &a;
    p->x *= 2;
    b.z = p->y + (*p).z;
    Vec3& r = out[I];
    r = b;
    r.y += a.x;
}

__global__ void linked(const int* x, int* out) {
    Node nodes[4];
    for (int i = 0; i < 4; i++) {
        nodes[i].value = x[i] * x[i];
        nodes[i].next = i + 1 < 4 ? &nodes[i + 1] : nullptr;
    }
    int sum = 0, n = 0;
    for (Node* p = nodes; p; p = p->next) sum += p->value * ++n;
    out[0] = sum;
    Node** second = &nodes[0].next;
    (*second)->value = 77;
    out[1] = nodes[1].value;
}

__global__ void views(const int* x, int* out) {
    View v{x + 4, 10};
    int sum = 0;
    for (int i = 0; i < v.n; i++) sum += v[i];
    out[0] = sum;
}

__global__ void spaces(const int* x, int* out) {
    __shared__ int s[8];
    int local[2];
    local[x[0]] = 1;
    s[0] = 4;
    int* p = s;
    const int* q = local;
    out[0] = __isShared(p); out[1] = __isGlobal(p); out[2] = __isLocal(p); out[3] = __isGlobal(x); out[4] = __isShared(x);
    out[5] = __isLocal(q); out[6] = __isGlobal(q); out[7] = __isConstant(table); out[8] = __isGlobal(&counter); out[9] = *p + *q;
    out[10] = (int)((unsigned long long)p % 16); out[11] = (char*)&s[3] - (char*)p;
}

__device__ int read(const int* p) { return *p; }

__global__ void one_pointer_many_spaces(const int* x, int* out) {
    __shared__ int s[32];
    int local[3] = {7, 8, 9};
    s[threadIdx.x] = threadIdx.x * 100;
    __syncwarp();
    const int* p = threadIdx.x % 4 == 0 ? &s[31 - threadIdx.x] : threadIdx.x % 4 == 1 ? &local[threadIdx.x % 3]
                 : threadIdx.x % 4 == 2 ? &x[threadIdx.x] : &table[threadIdx.x % 8];
    out[threadIdx.x] = read(p);
}

__global__ void symbols(const int* x, float* out) {
    out[0] = table[x[3]]; out[1] = settings.scale; out[2] = settings.shift[1]; out[3] = counter; out[4] = weights[0] + weights[1] + weights[3];
    out[5] = grid_of_numbers[1][2]; out[6] = grid_of_numbers[x[1]][0]; out[7] = (&grid_of_numbers[0][0])[4]; out[8] = sizeof(table); out[9] = *(table + 2);
    const int* row = grid_of_numbers[1];
    out[10] = row[1];
}

__global__ void extern_shared(const int* x, float* out) {
    extern __shared__ float space[];
    float* a = space;
    int* b = (int*)&a[32];
    unsigned char* c = (unsigned char*)(b + 32);
    int t = threadIdx.x;
    a[t] = x[t] + 0.5f;
    b[t] = x[t] * 300;
    c[t] = b[t];
    __syncthreads();
    out[3 * t] = a[31 - t];
    out[3 * t + 1] = b[(t + 1) % 32];
    out[3 * t + 2] = c[(t + 2) % 32];
}

__global__ void two_dimensions(const int* x, int* out) {
    __shared__ int tile[4][8 + 1];
    int t = threadIdx.x;
    tile[t / 8][t % 8] = x[t];
    __syncthreads();
    int (*row)[9] = tile + 1;
    int* flat = &tile[0][0];
    out[2 * t] = tile[t % 4][t / 4] + (*row)[2];
    out[2 * t + 1] = flat[t / 8 * 9 + t % 8] + row[1][3];
}

__global__ void cached(const int* x, int* out) {
    out[6 * I] = __ldg(x + I); out[6 * I + 1] = __ldg((const int2*)x + I).y; out[6 * I + 2] = __ldcg(&x[I + 1]); out[6 * I + 3] = __ldcs(&x[I + 2]);
    __stcg(&out[6 * I + 4], 4);
    __stwt(&out[6 * I + 5], x[I] + 5);
}

__global__ void copies(const int* x, int* out) {
    int local[6];
    memset(local, 0xff, sizeof(local));
    memcpy(local + 1, x + 3, 4 * sizeof(int));
    memcpy(out, local, sizeof local);
    double d;
    long long bits = 0x4004000000000000;
    memcpy(&d, &bits, sizeof d);
    out[6] = (int)(d * 10);
    memset(out + 7, 1, 3);
}
