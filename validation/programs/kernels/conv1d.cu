// The sum of 2 RADIUS + 1 neighbours of each number of a vector in f64, by global loads alone and through shared memory. Blocks of 512.

extern "C" __global__ void global_sum(double *in, double *out, int size)
{
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= size)
        return;
    double sum = 0;
    for (int d = -RADIUS; d <= RADIUS; d++)
        sum += (place + d >= 0 && place + d < size) ? in[place + d] : 0.0;
    out[place] = sum;
}

extern "C" __global__ void shared_sum(double *in, double *out, int size)
{
    __shared__ double tile[512 + 2 * RADIUS];
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    int own = threadIdx.x + RADIUS;
    tile[own] = place < size ? in[place] : 0.0;
    if (threadIdx.x < RADIUS) {
        tile[own - RADIUS] = place >= RADIUS ? in[place - RADIUS] : 0.0;
        tile[own + 512] = place + 512 < size ? in[place + 512] : 0.0;
    }
    __syncthreads();
    if (place >= size)
        return;
    double sum = 0;
    for (int d = -RADIUS; d <= RADIUS; d++)
        sum += tile[own + d];
    out[place] = sum;
}
