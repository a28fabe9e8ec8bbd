// Do the halves of a warp really take turns when each waits for the other? Prints what tests/hardware/ping_pong.json holds.
//
//     nvcc -O3 -arch=sm_90 -o ping_pong ping_pong.cu && ./ping_pong 2026-11-21 > ping_pong.json
//
// The kernel is that of the book's page on independent thread scheduling, with a note of the clock at every
// point; lanes that read the same clock there ran it together. A loop gives up after LIMIT trips, so that nothing
// hangs. The argument is the date.
#include "common.h"

const int LAUNCHES = 1000, LIMIT = 1000000, POINTS = 5, LANES = 32;

struct Note {
    long long clock;
    long long spins;  // failed trips through the loop before this point; -1: the lane did not come by
};

__device__ void note(Note* notes, int point, int spins) {
    Note& mine = notes[point * LANES + threadIdx.x];
    mine.clock = clock64();
    mine.spins = spins;
}

__global__ void ping_pong(volatile int* message, volatile int* reply, Note* notes) {
    int i = threadIdx.x, spins = 0;
    note(notes, 0, 0);
    if (i < 16) {
        note(notes, 1, 0);
        while (message[0] == 0 && spins < LIMIT)
            spins++;
        note(notes, 2, spins);
        reply[0] = 1;
    } else {
        note(notes, 3, 0);
        message[0] = 7;
        while (reply[0] == 0 && spins < LIMIT)
            spins++;
        note(notes, 4, spins);
    }
}

struct Event {  // lanes that came by a point together: they read the same clock there
    long long clock;
    int point;
    unsigned mask;
    long long spins;
    bool operator<(const Event& other) const { return clock < other.clock; }
};

static std::vector<Event> together(const std::vector<Note>& notes) {
    std::map<std::pair<long long, int>, Event> found;
    long long begin = notes[0].clock;
    for (int lane = 0; lane < LANES; lane++)
        begin = std::min(begin, notes[lane].clock);
    for (int point = 0; point < POINTS; point++)
        for (int lane = 0; lane < LANES; lane++) {
            const Note& one = notes[point * LANES + lane];
            if (one.spins < 0) continue;
            Event& event = found.insert({{one.clock, point}, {one.clock - begin, point, 0, 0}}).first->second;
            event.mask |= 1u << lane;
            event.spins = std::max(event.spins, one.spins);
        }
    std::vector<Event> events;
    for (const auto& entry : found) events.push_back(entry.second);
    std::stable_sort(events.begin(), events.end());
    return events;
}

int main(int count, char** words) {
    int *places, runtime, ended = 0;
    Note* on_device;
    std::vector<Note> notes(POINTS * LANES);
    std::map<std::string, int> orders;
    std::vector<Event> last;
    cudaDeviceProp gpu;
    CK(cudaGetDeviceProperties(&gpu, 0));
    CK(cudaRuntimeGetVersion(&runtime));
    CK(cudaMalloc(&places, 2 * sizeof(int)));
    CK(cudaMalloc(&on_device, notes.size() * sizeof(Note)));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        CK(cudaMemset(places, 0, 2 * sizeof(int)));
        CK(cudaMemset(on_device, 0xff, notes.size() * sizeof(Note)));
        ping_pong<<<1, LANES>>>(places, places + 1, on_device);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(notes.data(), on_device, notes.size() * sizeof(Note), cudaMemcpyDeviceToHost));
        last = together(notes);
        std::string order;
        bool gave_up = false;
        for (const Event& event : last) {
            order += (order.empty() ? "" : " ") + std::to_string(event.point);
            gave_up |= event.spins >= LIMIT;
        }
        orders[order]++;
        ended += !gave_up;
    }
    J("{\n \"header\": {");
    J("  \"what\": \"Two halves of a warp, each of which waits once for the other: which lanes passed which point, in what order\",");
    J("  \"machine\": {\"device\": \"%s\", \"cuda\": \"%d.%d (-O3 -arch=sm_90)\", \"date\": \"%s\"},",
      gpu.name, runtime / 1000, runtime % 1000 / 10, count > 1 ? words[1] : "");
    J("  \"fields\": {");
    J("   \"source\": \"tests/hardware/probes/ping_pong.cu; one block of 32 threads\",");
    J("   \"points\": \"0 begin; 1 the first half comes to its loop; 2 it has the message; 3 the second half is about to write it; 4 it has the reply\",");
    J("   \"events\": \"of the last launch: [clock cycles since the beginning, point, lanes that read this clock there as hex, most failed trips through the loop]\",");
    J("   \"orders\": \"in how many launches the points were passed in this order\"\n  }\n },");
    J(" \"launches\": %d,\n \"ended\": %d,", LAUNCHES, ended);
    J(" \"events\": [");
    for (size_t k = 0; k < last.size(); k++)
        J("  [%lld, %d, \"%08x\", %lld]%s", last[k].clock, last[k].point, last[k].mask, last[k].spins, k + 1 < last.size() ? "," : "");
    J(" ],\n \"orders\": {");
    size_t k = 0;
    for (const auto& entry : orders) J("  \"%s\": %d%s", entry.first.c_str(), entry.second, ++k < orders.size() ? "," : "");
    J(" }\n}");
}
