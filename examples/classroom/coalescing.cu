extern "C" __global__ void columns(const float *in, float *out)
{
    int row = threadIdx.x;  // neighbouring threads are in neighbouring rows
    int column = blockIdx.x;
    out[row * 256 + column] = in[row * 256 + column];
}
