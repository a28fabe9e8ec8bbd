// How long do the kernels of kernels.cu take? See timed.h.
#include "timed.h"
#include "../kernels.cu"

const std::map<std::string, const void*> kernels = {
    KERNEL(copy), KERNEL(copy_in_fours), KERNEL(copy_looping), KERNEL(copy_strided), KERNEL(copy_shifted), KERNEL(gather), KERNEL(saxpy),
    KERNEL(transpose_plain), KERNEL(transpose_tiled), KERNEL(transpose_padded), KERNEL(reduce_interleaved), KERNEL(reduce_sequential),
    KERNEL(reduce_by_shuffles), KERNEL(scan_blocks), KERNEL(histogram_global), KERNEL(histogram_shared), KERNEL(product_plain),
    KERNEL(product_tiled), KERNEL(row_times_vector), KERNEL(thread_times_vector), KERNEL(stencil_line), KERNEL(stencil_line_shared),
    KERNEL(stencil_plane), KERNEL(bodies), KERNEL(search), KERNEL(mandelbrot), KERNEL(sort_blocks), KERNEL(sparse_rows),
    KERNEL(chain_of_products), KERNEL(four_chains_of_products), KERNEL(chain_of_doubles), KERNEL(chain_of_roots), KERNEL(chain_of_loads),
    KERNEL(chain_of_barriers), KERNEL(chain_with_room)};
