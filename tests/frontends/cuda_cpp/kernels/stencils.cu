// Stencils, convolutions and pictures.

#define RADIUS 3
#define BLOCK 64

// Neighbours come from a tile with a halo on both sides.
__global__ void stencil_1d(const int* in, int* out)
{
    __shared__ int temp[BLOCK + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS, lindex = threadIdx.x + RADIUS;
    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + BLOCK] = in[gindex + BLOCK];
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}

#define W 16
#define H 8

__global__ void heat_2d(const float* __restrict__ old, float* __restrict__ now, int nx, int ny, float r)
{
    __shared__ float tile[H + 2][W + 2];
    int i = blockIdx.x * W + threadIdx.x, j = blockIdx.y * H + threadIdx.y;
    int ti = threadIdx.x + 1, tj = threadIdx.y + 1, at = j * nx + i;
    tile[tj][ti] = old[at];
    if (ti == 1) tile[tj][0] = i > 0 ? old[at - 1] : 0.f;
    if (ti == W) tile[tj][W + 1] = i < nx - 1 ? old[at + 1] : 0.f;
    if (tj == 1) tile[0][ti] = j > 0 ? old[at - nx] : 0.f;
    if (tj == H) tile[H + 1][ti] = j < ny - 1 ? old[at + nx] : 0.f;
    __syncthreads();
    float centre = tile[tj][ti];
    now[at] = centre + r * (tile[tj][ti - 1] + tile[tj][ti + 1] + tile[tj - 1][ti] + tile[tj + 1][ti] - 4 * centre);
}

// A column of three planes moves through registers.
__global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1)
        return;
    int plane = nx * ny, at = y * nx + x;
    float below = in[at], current = in[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = in[at + plane];
        out[at] = below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] - 6.0f * current;
        below = current;
        current = above;
    }
}

#define MASK_WIDTH 5
__constant__ float mask[MASK_WIDTH];

__global__ void convolution_1d(const float* in, float* out, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, start = i - MASK_WIDTH / 2;
    float value = 0;
    for (int j = 0; j < MASK_WIDTH; j++)
        if (start + j >= 0 && start + j < width)
            value += in[start + j] * mask[j];
    if (i < width)
        out[i] = value;
}

__global__ void game_of_life(const unsigned char* now, unsigned char* next, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy)
                alive += now[(y + dy + height) % height * width + (x + dx + width) % width];
    next[y * width + x] = alive == 3 || (alive == 2 && now[y * width + x]);
}

__device__ int clamped(int v, int low, int high) { return max(low, min(v, high)); }

__global__ void sobel(const unsigned char* image, unsigned char* edges, int width, int height)
{
    const int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    const int gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int h = 0, v = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            unsigned char pixel = image[clamped(y + dy, 0, height - 1) * width + clamped(x + dx, 0, width - 1)];
            h += gx[dy + 1][dx + 1] * pixel;
            v += gy[dy + 1][dx + 1] * pixel;
        }
    edges[y * width + x] = (unsigned char)min(255, abs(h) + abs(v));
}

__device__ float gaussian(float x, float sigma) { return __expf(-(x * x) / (2.0f * sigma * sigma)); }

// Near pixels of a similar grey count most.
__global__ void bilateral(const float* in, float* out, int width, int height, int radius, float space, float range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (!(x < width && y < height))
        return;
    float centre = in[y * width + x], sum = 0.0f, weights = 0.0f;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx < 0 || sy < 0 || sx >= width || sy >= height)
                continue;
            float value = in[sy * width + sx];
            float weight = gaussian(sqrtf(float(dx * dx + dy * dy)), space) * gaussian(value - centre, range);
            sum += weight * value;
            weights += weight;
        }
    out[y * width + x] = sum / weights;
}

__global__ void grey(const uchar3* colours, unsigned char* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar3 c = colours[i];
        out[i] = (unsigned char)(0.299f * c.x + 0.587f * c.y + 0.114f * c.z + 0.5f);
    }
}
