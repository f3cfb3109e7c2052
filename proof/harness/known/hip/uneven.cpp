// Even units read 4 words in their first pass of the outer loop and 1 in their second; odd units the other way round.
struct info_st {
    uint32_t static_meta[2];
};
extern "C" __global__ void __launch_bounds__(256) uneven(uint32_t const* const __restrict__ in, uint32_t * const __restrict__ out, info_st const* const __restrict__ info) {
uint32_t const unit = blockIdx.x * 256 + threadIdx.x;
uint32_t sum = 0;
for(uint32_t pass = 0; pass < 2; pass++) {
uint32_t const words = unit % 2 == pass ? 4 : 1;
for(uint32_t i = 0; i < words; i++) {
sum = sum * 2 + in[unit + i];
}
}
out[unit] = sum;
}
