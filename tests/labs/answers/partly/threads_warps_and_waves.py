"""threads-warps-and-waves: answers that deserve a part of the points."""

# the points, and the answer
ANSWERS = {
    "find-place: the lane from its register": (
        2.0,
        """
@cuda.jit
def find_place(linear, warp, lane):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    number = x + cuda.blockDim.x * (y + cuda.blockDim.y * z)
    linear[z, y, x] = number
    warp[z, y, x] = number // cuda.warpsize
    lane[z, y, x] = cuda.laneid  # not by formula
""",
    ),
}
