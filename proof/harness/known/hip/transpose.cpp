// Transposes a matrix with as many columns as the launch has cubes of units: reads rows, writes columns.
struct info_st {
    uint32_t scalars[2];
};
extern "C" __global__ void __launch_bounds__(256) transpose(uint32_t const* const __restrict__ in, uint32_t * const __restrict__ out, info_st const* const __restrict__ info) {
uint32_t const side = info->scalars[0];
uint32_t const unit = blockIdx.x * 256 + threadIdx.x;
uint32_t const row = unit / side;
uint32_t const column = unit % side;
out[column * side + row] = in[unit];
}
