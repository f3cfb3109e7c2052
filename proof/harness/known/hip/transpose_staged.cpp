// Transposes a matrix in tiles of 32 rows and columns, in shared memory whose rows have 32 words.
template <typename T, size_t N>
struct array {
    T data[N];
    __device__ T& operator[](size_t i) { return data[i]; }
};
struct info_st {
    uint32_t scalars[2];
};
extern "C" __global__ void __launch_bounds__(256) transpose_staged(uint32_t const* const __restrict__ in, uint32_t * const __restrict__ out, info_st const* const __restrict__ info) {
extern __shared__ __align__(4) char memory[];
array<uint32_t, 32 * 32> * const tile = reinterpret_cast<array<uint32_t, 32 * 32> *>(memory);
uint32_t const side = info->scalars[0];
uint32_t const row = blockIdx.x / (side / 32) * 32;
uint32_t const column = blockIdx.x % (side / 32) * 32;
uint32_t const x = threadIdx.x % 32;
for(uint32_t y = threadIdx.x / 32; y < 32; y += 8) {
uint32_t const word = in[(row + y) * side + column + x];
(*tile)[y * 32 + x] = word;
}
__syncthreads();
for(uint32_t y = threadIdx.x / 32; y < 32; y += 8) {
uint32_t const word = (*tile)[x * 32 + y];
out[(column + y) * side + row + x] = word;
}
}
