"""Which names of `numba.cuda` are there on purpose not, and what does a reader use instead?"""

from __future__ import annotations

_CODE = "kernels have no machine code here; kernel.inspect_ir() lists a kernel's instructions"
_LINK = "there is no machine code that it could be linked with; write the function in Python"
_TYPING = "kernels are not compiled by Numba: write the function in Python, under @cuda.jit(device=True)"
_MEMORY = "device memory is managed by the simulator"
_PROCESS = "memory cannot be shared with other processes; simulated memory belongs to this one"
_PROFILE = "use `with gpusim.profile() as run:` around the launches"
_GPU = "it is about CUDA's own libraries, and there is no GPU behind this module"

LINKED = ("Archive", "CUSource", "Cubin", "Fatbin", "LTOIR", "LinkableCode", "Object", "PTXSource")
MISSING = {
    **dict.fromkeys(LINKED, _LINK),
    "BaseCUDAMemoryManager": _MEMORY,
    "GetIpcHandleMixin": _PROCESS,
    "HostOnlyCUDAMemoryManager": _MEMORY,
    "IpcHandle": _PROCESS,
    "MappedMemory": "use cuda.mapped_array(…)",
    "MemoryPointer": "use cuda.device_array(…)",
    "PinnedMemory": "use cuda.pinned_array(…)",
    "bfloat16": "use np.float16, or np.float32",
    "compile": _CODE,
    "compile_all": _CODE,
    "compile_for_current_device": _CODE,
    "compile_ptx": _CODE,
    "compile_ptx_for_current_device": _CODE,
    "cudadrv": _GPU,
    "declare_device": "write the function in Python, under @cuda.jit(device=True)",
    "extending": _TYPING,
    "from_cuda_array_interface": "it describes the memory of a real GPU; copy it to the host first",
    "nvvm": _GPU,
    "open_ipc_array": _PROCESS,
    "optional": "a signature names the type of a number: None is told apart when a kernel is compiled",
    "profile_start": _PROFILE,
    "profile_stop": _PROFILE,
    "profiling": _PROFILE,
    "runtime": _GPU,
    "set_memory_manager": _MEMORY,
    "shfl_sync_intrinsic": "use cuda.shfl_sync, shfl_up_sync, shfl_down_sync or shfl_xor_sync",
    "vote_sync_intrinsic": "use cuda.all_sync, any_sync, eq_sync or ballot_sync",
}
# those that are functions: a program may import them, and call them in another case
FUNCTIONS = frozenset(
    name
    for name in MISSING
    if name.startswith(("compile", "profile_", "open_", "set_"))
    or name in ("declare_device", "from_cuda_array_interface", *LINKED)
)
