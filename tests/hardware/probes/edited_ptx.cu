// Does a parent launch whose PTX was changed by hand? With 39 in the place of 3 its child leaves 1 + 2 + 39.
//
//     nvcc -arch=sm_90 -rdc=true -ptx parent.cu            # the kernels of the book's page on launching from PTX
//     sed -i 's/%r1, 3;/%r1, 39;/' parent.ptx
//     ptxas -arch=sm_90 -c parent.ptx -o parent.cubin
//     nvlink -arch=sm_90 parent.cubin -o linked.cubin -L/usr/local/cuda/lib64 -lcudadevrt
//     nvcc -arch=sm_90 -o edited_ptx edited_ptx.cu && ./edited_ptx linked.cubin
#include <cstdio>

int main(int, char** words) {
    cudaLibrary_t library;
    cudaKernel_t parent;
    int* x;
    cudaMallocManaged(&x, 16);
    cudaLibraryLoadFromFile(&library, words[1], nullptr, nullptr, 0, nullptr, nullptr, 0);
    cudaLibraryGetKernel(&parent, library, "_Z6parentPi");
    void* arguments[] = {&x};
    cudaLaunchKernel((void*)parent, dim3(1), dim3(1), arguments, 0, 0);
    printf("%s: %d %d %d %d\n", cudaGetErrorName(cudaDeviceSynchronize()), x[0], x[1], x[2], x[3]);
}
