// How long do kernels take that launch others, and the same work without? Whole trees, from event to event.
// usage: nesting rows.txt answers.jsonl; a row is `sums MOST lengths…` (MOST -1: a block for each row, by the host),
// `sort LEAST numbers…` or `flat 0 numbers…`. An answer: the median, the least and the most of 20 times in µs.
#include <cooperative_groups/reduce.h>
#include <numeric>
#include <sstream>
#include "common.h"
namespace cg = cooperative_groups;

__global__ void sum_of_row(const int* row, int* sums, int i, int n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int part = 0;
    for (int k = threadIdx.x; k < n; k += 256) part += row[k];
    part = cg::reduce(tile, part, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(&sums[i], part);
}
__global__ void sums_of_rows(const int* values, const int* start, int* sums, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = start[i], end = start[i + 1];
    if (end - first > most) {
        sum_of_row<<<1, 256, 0, cudaStreamFireAndForget>>>(values + first, sums, i, end - first);
    } else {
        int total = 0;
        for (int k = first; k < end; ++k) total += values[k];
        sums[i] = total;
    }
}
__global__ void block_for_each(const int* values, const int* start, int* sums) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x, part = 0;
    for (int k = start[i] + threadIdx.x; k < start[i + 1]; k += 256) part += values[k];
    part = cg::reduce(tile, part, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(&sums[i], part);
}

__device__ int2 split(const int* a, int* b, int* out, int low, int high) {
    __shared__ int ends[2];
    int t = threadIdx.x, threads = blockDim.x, pivot = a[low];
    if (t == 0) ends[0] = low, ends[1] = high;
    __syncthreads();
    for (int i = low + t; i < high; i += threads) {
        if (a[i] < pivot) b[atomicAdd(&ends[0], 1)] = a[i];
        if (a[i] > pivot) b[atomicSub(&ends[1], 1) - 1] = a[i];
    }
    __syncthreads();
    int left = ends[0], right = ends[1];
    for (int i = left + t; i < right; i += threads) out[i] = pivot;
    return make_int2(left, right);
}
__device__ void settle(const int* a, int* out, int low, int high) {
    for (int i = low + threadIdx.x; i < high; i += blockDim.x) {
        int place = low;
        for (int j = low; j < high; j++)
            if (a[j] < a[i] || (a[j] == a[i] && j < i)) place++;
        out[place] = a[i];
    }
}
__device__ void note(int* told) {
    int error = cudaGetLastError();
    if (error) atomicAdd(&told[0], 1), atomicMax(&told[1], error);
}
__global__ void sort(int* a, int* b, int* out, int low, int high, int depth, int least, int deepest, int* told) {
    if (high - low <= least || depth == deepest) return settle(a, out, low, high);
    int2 part = split(a, b, out, low, high);
    if (threadIdx.x == 0) {
        cudaStream_t side;
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        if (low < part.x) {
            sort<<<1, min(256, part.x - low)>>>(b, a, out, low, part.x, depth + 1, least, deepest, told);
            note(told);
        }
        if (part.y < high) {
            sort<<<1, min(256, high - part.y), 0, side>>>(b, a, out, part.y, high, depth + 1, least, deepest, told);
            note(told);
        }
        cudaStreamDestroy(side);
    }
}
__global__ void exchange(int* x, int run, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ step;
    if (i < j && (x[i] > x[j]) == ((i & run) == 0)) {
        int mine = x[i];
        x[i] = x[j], x[j] = mine;
    }
}

struct Array {
    int* at;
    size_t bytes;
    explicit Array(const std::vector<int>& from) : bytes(sizeof(int) * from.size()) { CK(cudaMalloc(&at, bytes)); set(from); }
    void set(const std::vector<int>& from) { CK(cudaMemcpy(at, from.data(), bytes, cudaMemcpyHostToDevice)); }
    std::vector<int> get() { std::vector<int> v(bytes / sizeof(int)); CK(cudaMemcpy(v.data(), at, bytes, cudaMemcpyDeviceToHost)); return v; }
    ~Array() { cudaFree(at); }
};
// 25 times, the first five unmeasured
template <class Prepare, class Launch> static void timed(const char* what, Prepare prepare, Launch launch) {
    cudaEvent_t begin, end;
    CK(cudaEventCreate(&begin));
    CK(cudaEventCreate(&end));
    std::vector<float> took;
    for (int k = 0; k < 25; k++) {
        prepare();
        CK(cudaDeviceSynchronize());
        CK(cudaEventRecord(begin));
        launch();
        CK(cudaEventRecord(end));
        CK(cudaDeviceSynchronize());
        float ms;
        CK(cudaEventElapsedTime(&ms, begin, end));
        if (k >= 5) took.push_back(1000 * ms);
    }
    J("[%s,%.2f,%.2f,%.2f]", what, median(took), *std::min_element(took.begin(), took.end()), *std::max_element(took.begin(), took.end()));
}
static void check(bool right, const char* what) { if (!right) { fprintf(stderr, "%s: wrong result\n", what); exit(4); } }

int main(int, char** arguments) {
    FILE* rows = opened(arguments[1], "r");
    lines = opened(arguments[2], "w");
    CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 65536));
    static char text[1 << 22];
    while (fgets(text, sizeof text, rows)) {
        std::istringstream in(text);
        std::string kind, what;
        int knob = 0, x;
        in >> kind;
        in >> knob;
        std::vector<int> v;
        while (in >> x) v.push_back(x);
        int n = (int)v.size();
        what = "\"" + kind + "\"," + std::to_string(knob) + "," + std::to_string(n);
        if (kind == "sums") {
            std::vector<int> first(n + 1, 0), expected(n);
            std::partial_sum(v.begin(), v.end(), first.begin() + 1);
            std::vector<int> numbers(first[n]);
            for (int i = 0; i < first[n]; i++) numbers[i] = i % 100;
            for (int i = 0; i < n; i++) expected[i] = std::accumulate(numbers.begin() + first[i], numbers.begin() + first[i + 1], 0);
            Array values(numbers), start(first), sums(std::vector<int>(n, 0));
            timed(what.c_str(), [&] { CK(cudaMemset(sums.at, 0, sums.bytes)); }, [&] {
                if (knob < 0) block_for_each<<<n, 256>>>(values.at, start.at, sums.at);
                else sums_of_rows<<<n / 256, 256>>>(values.at, start.at, sums.at, knob);
            });
            check(sums.get() == expected, "sums");
        } else {
            std::vector<int> sorted = v;
            std::sort(sorted.begin(), sorted.end());
            Array a(v), b(v), out(v), told(std::vector<int>(2, 0));
            timed(what.c_str(), [&] { a.set(v); }, [&] {
                if (kind == "sort") sort<<<1, 256>>>(a.at, b.at, out.at, 0, n, 0, knob, 24, told.at);
                else for (int run = 2; run <= n; run *= 2) for (int step = run / 2; step; step /= 2) exchange<<<n / 256, 256>>>(a.at, run, step);
            });
            check((kind == "sort" ? out : a).get() == sorted && told.get()[0] == 0, kind.c_str());
        }
    }
}
