// Written by hand in the form of an emitted kernel: every operation of a wave, for the harness's own test.
struct info_st {
    uint32_t static_meta[2];
};
extern "C" __global__ void __launch_bounds__(256) waves(uint32_t * const __restrict__ out, info_st const* const __restrict__ info) {
uint32_t const unit = blockIdx.x * 256 + threadIdx.x;
uint32_t const value = unit * 3 + 1;
uint64_t const bits = __ballot(unit % 3 == 0);
out[unit * 8 + 0] = __shfl(value, 5);
out[unit * 8 + 1] = __shfl_xor(value, 6);
out[unit * 8 + 2] = __shfl_up(value, 2);
out[unit * 8 + 3] = __shfl_down(value, 2);
out[unit * 8 + 4] = uint32_t(bits);
out[unit * 8 + 5] = uint32_t(bits >> 32);
out[unit * 8 + 6] = uint32_t(__shfl(uint64_t(value) << 32, 1) >> 32);
out[unit * 8 + 7] = warpSize;
}
