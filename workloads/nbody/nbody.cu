// One time step of n bodies that attract each other, all pairs, bodies staged through shared memory.
//
// Arithmetic-bound: 32 lanes read the same body from shared memory (one broadcast) and do some twenty operations with
// it. The distance goes through an exactly rounded square root and division, each of which is a sequence of
// machine operations: rsqrtf() would be faster, but its last bits differ from one GPU generation to the next.
// A body is a float4: position and mass. The softening keeps a body from pulling on itself.
constexpr int TILE = 128;
constexpr float SOFTENING = 0.01f;

extern "C" __global__ void nbody(const float4 *bodies, const float4 *velocity, float4 *bodiesOut, float4 *velocityOut,
                                 int n, float dt) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float4 me = bodies[i], v = velocity[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < TILE; j++) {
      float4 other = tile[j];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float d2 = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, SOFTENING)));
      float pull = other.w / (d2 * sqrtf(d2));
      ax = fmaf(pull, dx, ax), ay = fmaf(pull, dy, ay), az = fmaf(pull, dz, az);
    }
    __syncthreads();
  }
  v.x = fmaf(ax, dt, v.x), v.y = fmaf(ay, dt, v.y), v.z = fmaf(az, dt, v.z);
  me.x = fmaf(v.x, dt, me.x), me.y = fmaf(v.y, dt, me.y), me.z = fmaf(v.z, dt, me.z);
  bodiesOut[i] = me, velocityOut[i] = v;
}
