package toolchain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// causes are the reasons why programs of public suites failed without the machine's library, each with the smallest program that shows it.
var causes = []struct{ name, source string }{
	{"struct timezone", "#include <sys/time.h>\nint main() { timeval t; struct timezone z; gettimeofday(&t, &z); }"},
	{"strings.h", "#include <strings.h>\nint same(const char *a, const char *b) { return strcasecmp(a, b); }"},
	{"system headers", "#include <sys/resource.h>\n#include <omp.h>\n#include <sys/stat.h>\n#include <fcntl.h>\n" +
		"#include <sys/timeb.h>\n#include <setjmp.h>"},
	{"members of std", "#include <map>\nint f(std::map<int,int> &m) { std::map<int,int>::const_iterator i = m.begin(); return i->first; }"},
	{"_POSIX_VERSION", "#include <unistd.h>\n#if _POSIX_VERSION < 200112L\n#error\n#endif"},
	{
		"threads and argument lists", "#include <pthread.h>\n#include <stdarg.h>\n" +
			"void f(int n, ...) { va_list l; va_start(l, n); va_end(l); }",
	},
	{"rarer C++ headers", "#include <ratio>\n#include <queue>\n#include <list>\n#include <typeinfo>\n#include <complex>\n" +
		"#include <filesystem>"},
	{"what C++17 does not take", "__global__ void r(float *p, uchar4 *q, unsigned short v) { register float a = p[0]; p[1] = a; *q = " +
		"(uchar4){v, v, v, v}; }"},
	{"groups by value", `#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int f(thread_group g) { g.sync(); return g.thread_rank(); }
__global__ void g(int *p) { thread_block cta = this_thread_block(); p[0] = f(cta) + f(tiled_partition(cta, 16)) + f(tiled_partition<4>(cta)); }`},
	{"rarer C functions", `#include <stdio.h>
#include <inttypes.h>
#include <math.h>
__global__ void u(uint64_t *p) { *p = UINT64_C(3); }
int main() { char *l = 0; size_t n = 0; printf("%" PRIu64 " %Lf", (uint64_t)3, sqrtl(2)); return getline(&l, &n, freopen("a", "r", stdin)) < 0; }`},
	{"old definitions of its own", `typedef struct { double x, y; } mine;
__device__ double __shfl(double v, int lane, int width = 32) { return v; }
__global__ void s(double *p) { *p = __shfl(*p, 3); }`},
	{"powers of mixed types", "#include <cmath>\n__global__ void p(float *p, int i) { *p = pow(*p, i) + std::pow(*p, 3) + powf(*p, i) " +
		"+ pow(i, 2) + pow(2.0, i); }"},
	{"types of the runtime API", "void f(cudaStream_t s) { void *p; cudaMallocAsync(&p, 4, s); cudaIpcMemHandle_t h; cudaUUID_t u; " +
		"(void)h, (void)u; }"},
}

func TestCausesOfRefusalAreGone(t *testing.T) {
	NeedBuilder(t)
	for _, c := range sample(causes) {
		_, err := Compile(t.Context(), write(t, "kernel.cu", c.source+"\n__global__ void k(int *p) { *p = 1; }\n"), Options{})
		assert.NoError(t, err, c.name)
	}
}

// Kernels compile to the same instructions with the machine's library and with the imitation.
func TestLibraryChangesNoInstruction(t *testing.T) {
	NeedClang(t)
	for _, source := range []string{
		"#include <math.h>\n__global__ void k(float *p, double *q, int n) { *p = expf(*p) + sqrt(*p) + pow(*p, 2.0f) + fmaxf(*p, 1) + " +
			"abs(n); *q = sin(*q) + fabs(*q) + floor(*q); }",
		"#include <algorithm>\n#include <cmath>\n#include <limits>\n__global__ void k(float *p, int n) { *p = std::max(*p, 2.0f) + " +
			"std::min(n, 3) + std::sqrt(*p) + std::numeric_limits<float>::max(); }",
		"#include <assert.h>\n#include <stdio.h>\n__global__ void k(int *p) { int *q = (int *)malloc(8); q[0] = min(*p, 3); memcpy(p, " +
			"q, 8); printf(\"%d\\n\", *p); free(q); }",
	} {
		path := write(t, "kernel.cu", source)
		machine, err := Compile(t.Context(), path, Options{})
		require.NoError(t, err)
		imitated, err := Compile(t.Context(), path, Options{Imitated: true})
		require.NoError(t, err)
		assert.Equal(t, string(imitated.PTX), string(machine.PTX), source)
	}
}
