// Curves of three points are drawn with as many points as they bend: a thread a curve finds how many, takes memory for them and launches the
// kernel that draws them; a last kernel gives the memory back.
struct Curve {
  float2 points[3];
  int count;
  float2 *drawn;
};
#define MOST 32

__device__ float length_of(float2 v) { return sqrtf(v.x * v.x + v.y * v.y); }

__global__ void draw(Curve *curve) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= curve->count) return;
  float u = (float)i / (curve->count - 1), a = (1 - u) * (1 - u), b = 2 * u * (1 - u), c = u * u;
  const float2 *p = curve->points;
  curve->drawn[i] = make_float2(a * p[0].x + b * p[1].x + c * p[2].x, a * p[0].y + b * p[1].y + c * p[2].y);
}

extern "C" __global__ void tessellate(Curve *curves, const float2 *points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Curve *own = &curves[i];
  for (int k = 0; k < 3; k++) own->points[k] = points[3 * i + k];
  const float2 *p = own->points;
  float bend = length_of(make_float2(p[1].x - 0.5f * (p[0].x + p[2].x), p[1].y - 0.5f * (p[0].y + p[2].y))) /
               length_of(make_float2(p[2].x - p[0].x, p[2].y - p[0].y));
  own->count = min(max((int)(bend * 16.0f), 4), MOST);
  if (cudaMalloc((void **)&own->drawn, own->count * sizeof(float2)) != cudaSuccess) return;
  draw<<<(own->count + 31) / 32, 32>>>(own);
}

extern "C" __global__ void collect(Curve *curves, float2 *drawn, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < curves[i].count; k++) drawn[MOST * i + k] = curves[i].drawn[k];
  cudaFree(curves[i].drawn);
}
