// How long do launches take? Rows as ../timed.py writes them. With a second file, times go there; without one, each row is launched
// twice, for a profiler: the second launch finds the caches as the first left them. Who includes this defines `kernels` before.
// usage: timed rows.txt [answers.txt]
#pragma once
#include <sstream>
#include "common.h"

#define KERNEL(name) {#name, (const void*)name}
extern const std::map<std::string, const void*> kernels;

static double filled(const std::string& name, unsigned long long parameter, unsigned long long i, unsigned long long count) {
    unsigned scattered = (unsigned)(i * 2654435761ull) >> 8;
    if (name == "zero") return 0;
    if (name == "sorted") return 2.0 * i;
    if (name == "next") return (double)((i + parameter) % count);
    if (name == "step") return (double)(i * parameter);
    return parameter ? scattered % parameter : scattered % 1000 / 1000.0;
}
template <class T> static void* array(unsigned long long count, const std::string& name, unsigned long long parameter) {
    void* there;
    CK(cudaMalloc(&there, count * sizeof(T)));
    if (name == "zero") {
        CK(cudaMemset(there, 0, count * sizeof(T)));
        return there;
    }
    std::vector<T> values(count);
    for (unsigned long long i = 0; i < count; i++) values[i] = (T)filled(name, parameter, i, count);
    CK(cudaMemcpy(there, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return there;
}
union Value { int i; float f; double d; void* p; };
static std::map<std::string, void*> arrays;
static Value argument(const std::string& text, int number) {
    Value value;
    char kind = text[0];
    std::string rest = text.substr(2);
    if (kind == 'i') value.i = std::stoi(rest);
    else if (kind == 'f') value.f = std::stof(rest);
    else if (kind == 'd') value.d = std::stod(rest);
    else {
        std::string key = std::to_string(number) + text;
        if (!arrays.count(key)) {
            unsigned long long count = std::stoull(rest), parameter = 0;
            std::string fill = rest.substr(rest.find(':') + 1);
            size_t sign = fill.find_first_of("%+");
            if (sign != std::string::npos) parameter = std::stoull(fill.substr(sign + 1));
            std::string name = fill.substr(0, sign);
            arrays[key] = kind == 'F' ? array<float>(count, name, parameter) : kind == 'I' ? array<int>(count, name, parameter) : array<double>(count, name, parameter);
        }
        value.p = arrays[key];
    }
    return value;
}

int main(int count, char** given) {
    FILE* rows = opened(given[1], "r");
    if (count > 2) lines = opened(given[2], "w");
    static char row[4096];
    cudaEvent_t begun, ended;
    CK(cudaEventCreate(&begun));
    CK(cudaEventCreate(&ended));
    while (fgets(row, sizeof row, rows)) {
        std::istringstream words(row);
        std::string name, word;
        unsigned gx, gy, bx, by;
        int dynamic;
        if (!(words >> name >> gx >> gy >> bx >> by >> dynamic)) continue;
        std::vector<Value> values;
        while (words >> word) values.push_back(argument(word, (int)values.size()));
        std::vector<void*> pointers;
        for (Value& value : values) pointers.push_back(&value);
        const void* kernel = kernels.at(name);
        CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
        auto launch = [&] { CK(cudaLaunchKernel(kernel, dim3(gx, gy), dim3(bx, by), pointers.data(), dynamic, 0)); };
        launch();
        if (count == 2) {
            launch();
            CK(cudaDeviceSynchronize());
            continue;
        }
        std::vector<float> took;
        for (int k = 0; k < 21; k++) {
            CK(cudaEventRecord(begun));
            launch();
            CK(cudaEventRecord(ended));
            CK(cudaEventSynchronize(ended));
            float ms;
            CK(cudaEventElapsedTime(&ms, begun, ended));
            took.push_back(1000 * ms);
        }
        cudaFuncAttributes attributes;
        CK(cudaFuncGetAttributes(&attributes, kernel));
        int blocks;
        CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, bx * by, dynamic));
        J("[%.2f, %d, %d]", median(took), attributes.numRegs, blocks);
        if (arrays.size() > 8) { // some are gigabytes
            for (auto& each : arrays) CK(cudaFree(each.second));
            arrays.clear();
        }
    }
    CK(cudaDeviceSynchronize());
}
