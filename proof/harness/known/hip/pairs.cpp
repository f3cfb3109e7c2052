// Copies double words through shared memory.
template <typename T, size_t N>
struct array {
    T data[N];
    __device__ T& operator[](size_t i) { return data[i]; }
};
struct info_st {
    uint32_t static_meta[2];
};
extern "C" __global__ void __launch_bounds__(256) pairs(uint64_t const* const __restrict__ in, uint64_t * const __restrict__ out, info_st const* const __restrict__ info) {
extern __shared__ __align__(8) char memory[];
array<uint64_t, 256> * const tile = reinterpret_cast<array<uint64_t, 256> *>(memory);
uint32_t const unit = blockIdx.x * 256 + threadIdx.x;
(*tile)[threadIdx.x] = in[unit];
__syncthreads();
out[unit] = (*tile)[threadIdx.x ^ 1];
}
