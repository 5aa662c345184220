// references.ptx is this file, compiled with:
// clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -O0 -g --cuda-noopt-device-debug
//   -fdebug-compilation-dir=. -ffile-prefix-map=$PWD=. -S references.cu
typedef unsigned int Index;
enum Mode { Off, On };
struct Node { Node *next; float weights[2][3]; };
__attribute__((device)) int counters[4];
__attribute__((device, noinline)) float visit(const Node &node, Node *const &link, volatile int *flag, Index i, Mode mode, float (*scale)(float, int)) {
  Node copy = node;
  return scale(copy.weights[i][mode] + *flag + counters[i], 3) + (link != nullptr);
}
