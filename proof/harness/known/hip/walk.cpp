// Some units of each cube sum a line of 32 words each.
struct info_st {
    uint32_t scalars[2];
};
extern "C" __global__ void __launch_bounds__(256) walk(uint32_t const* const __restrict__ in, uint32_t * const __restrict__ out, info_st const* const __restrict__ info) {
uint32_t const unit = blockIdx.x * 256 + threadIdx.x;
uint32_t const units = info->scalars[0];
uint32_t sum = 0;
if(threadIdx.x < units) {
for(uint32_t i = 0; i < 32; i++) {
sum += in[unit * 32 + i];
}
}
out[unit] = sum;
}
