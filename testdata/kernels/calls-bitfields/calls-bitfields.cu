// A structure with bit fields of every type goes by value to a function that the compiler may not inline, and comes back.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct Fields {
  signed char a : 3;
  unsigned char b : 5; // shares a's byte
  short c : 9;         // does not fit there
  unsigned short : 0;  // the next field begins a new short
  int d : 20;
  unsigned e : 12; // shares d's word
  long long f : 40;
  char g; // shares f's long long
  unsigned h : 7;
};
union Both {
  Fields fields;
  unsigned words[6];
};
extern "C" __device__ __attribute__((noinline)) Fields turn(Fields x, int by) {
  Fields r = x;
  r.a = x.b;
  r.b = x.a + by;
  r.c = x.c - by;
  r.d = x.e;
  r.e = x.d + by;
  r.f = x.f * 3;
  r.g = x.h;
  r.h = x.g;
  return r;
}
extern "C" __global__ void bitfields(Both given, long long *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  given.words[0] += i * 0x01010101;
  given.words[1] ^= i << 13;
  Fields r = turn(given.fields, i);
  long long *mine = out + 16 * i;
  mine[0] = r.a;
  mine[1] = r.b;
  mine[2] = r.c;
  mine[3] = r.d;
  mine[4] = r.e;
  mine[5] = r.f;
  mine[6] = r.g;
  mine[7] = r.h;
  mine[8] = sizeof(Fields);
  Both whole;
  for (int k = 0; k < 6; k++) whole.words[k] = 0;
  whole.fields = r;
  for (int k = 0; k < 6; k++) mine[9 + k] = whole.words[k];
}
