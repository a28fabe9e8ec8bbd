// Graphs, sparse matrices and lists.

__global__ void bfs_level(const int* offsets, const int* targets, int* levels, int n, int level, int* changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && levels[v] == level)
        for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
            int to = targets[e];
            if (levels[to] == -1) {
                levels[to] = level + 1;
                *changed = 1;
            }
        }
}

// Vertices that were found go to a queue; an atomic hands out its places.
__global__ void bfs_frontier(const int* offsets, const int* targets, int* levels, const int* frontier, int size,
                             int* next, int* next_size, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    int v = frontier[i];
    for (const int *e = targets + offsets[v], *end = targets + offsets[v + 1]; e != end; ++e)
        if (atomicCAS(&levels[*e], -1, level) == -1)
            next[atomicAdd(next_size, 1)] = *e;
}

struct CSR {
    int rows;
    const int* offsets;
    const int* columns;
    const float* values;
};

__global__ void spmv_csr(CSR m, const float* x, float* y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < m.rows) {
        float dot = 0;
        for (int k = m.offsets[row]; k < m.offsets[row + 1]; k++)
            dot += m.values[k] * x[m.columns[k]];
        y[row] += dot;
    }
}

// ELL: every row has the same length; columns lie behind one another, so that lanes read neighbours.
__global__ void spmv_ell(int rows, int width, const int* columns, const float* values, const float* x, float* y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= rows)
        return;
    float dot = 0;
    for (int k = 0; k < width; k++) {
        int column = columns[rows * k + row];
        if (column >= 0)
            dot += values[rows * k + row] * x[column];
    }
    y[row] = dot;
}

struct Node {
    int value;
    Node* next;
};

__global__ void link(Node* nodes, const int* order, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        nodes[order[i]].value = i * i;
        nodes[order[i]].next = i + 1 < n ? &nodes[order[i + 1]] : nullptr;
    }
}

// Follows pointers that lie in memory.
__global__ void traverse(const Node* nodes, const int* heads, int* sums, int* lengths)
{
    int sum = 0, length = 0;
    for (const Node* node = nodes + heads[threadIdx.x]; node != nullptr; node = node->next) {
        sum += node->value;
        ++length;
    }
    sums[threadIdx.x] = sum;
    lengths[threadIdx.x] = length;
}

struct Tree {
    int key;
    int left, right;
};

// A search tree whose links are indices.
__global__ void tree_search(const Tree* tree, const int* keys, int* depths)
{
    int node = 0, depth = 0;
    while (node >= 0 && tree[node].key != keys[threadIdx.x]) {
        node = keys[threadIdx.x] < tree[node].key ? tree[node].left : tree[node].right;
        depth++;
    }
    depths[threadIdx.x] = node < 0 ? -1 : depth;
}

// Pointer jumping: each round doubles how far a link reaches.
__global__ void list_ranks(int* next, int* rank, int n)
{
    int i = threadIdx.x;
    for (int span = 1; span < n; span *= 2) {
        int far = next[i], more = far == i ? 0 : rank[far], beyond = next[far];
        __syncthreads();
        rank[i] += more;
        next[i] = beyond;
        __syncthreads();
    }
}
