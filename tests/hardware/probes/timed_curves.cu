// How long do the kernels of curves.cu take? See timed.h.
#include "timed.h"
#include "../curves.cu"

const std::map<std::string, const void*> kernels = {
    KERNEL(shared_chain), KERNEL(shared_loads), KERNEL(shared_stores), KERNEL(shared_adds), KERNEL(shared_add_chain),
    KERNEL(shared_swap_chain), KERNEL(chain_in_l1), KERNEL(global_add_chain), KERNEL(global_adds), KERNEL(barriers),
    KERNEL(ways), KERNEL(strided_reads), KERNEL(strided_writes), KERNEL(strided_copy),
    KERNEL(fresh_reads_two_at_once), KERNEL(fresh_reads_four_at_once), KERNEL(axpy), KERNEL(axpy_looping),
    KERNEL(shared_loads_of_4), KERNEL(shared_loads_of_8), KERNEL(shared_loads_of_16), KERNEL(products), KERNEL(products_of_2),
    KERNEL(products_of_4), KERNEL(int_products), KERNEL(int_products_of_4), KERNEL(double_products),
    KERNEL(double_products_of_4), KERNEL(powers), KERNEL(powers_of_4), KERNEL(shuffles), KERNEL(bits), KERNEL(votes),
    KERNEL(quotients), KERNEL(roots), KERNEL(fresh_reads_of_4), KERNEL(fresh_reads_of_8), KERNEL(fresh_reads_of_16)};
