# A program that is not C: the driver API by ctypes, both forms of arguments, errors and a log of the JIT compiler.
import ctypes, sys
from ctypes import byref, c_char, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

cuda = ctypes.CDLL("libcuda.so.1")

def check(result, want=0):
    text = c_char_p()
    cuda.cuGetErrorName(result, byref(text))
    assert result == want, text.value

check(cuda.cuDeviceGetCount(byref(c_int())), 3)  # CUDA_ERROR_NOT_INITIALIZED
check(cuda.cuInit(0))
device, context = c_int(), c_void_p()
check(cuda.cuDeviceGet(byref(device), 0))
check(cuda.cuDeviceGet(byref(device), 9), 101)  # CUDA_ERROR_INVALID_DEVICE
device.value = 0
check(cuda.cuMemAlloc_v2(byref(c_uint64()), c_size_t(4)), 201)  # CUDA_ERROR_INVALID_CONTEXT
check(cuda.cuCtxCreate_v2(byref(context), 0, device))
name, major, minor = (c_char * 64)(), c_int(), c_int()
check(cuda.cuDeviceGetName(name, 64, device))
check(cuda.cuDeviceGetAttribute(byref(major), 75, device))
check(cuda.cuDeviceGetAttribute(byref(minor), 76, device))

module, function = c_void_p(), c_void_p()
log = (c_char * 400)()
options = (c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
values = (c_void_p * 2)(ctypes.cast(log, c_void_p), 400)
check(cuda.cuModuleLoadDataEx(byref(module), b".version 4.0\n.target sm_30\nnonsense", 2, options, values), 218)
assert b"nonsense" in log.value, log.value
check(cuda.cuModuleLoad(byref(module), b"nowhere.ptx"), 301)
check(cuda.cuModuleLoad(byref(module), b"add.ptx"))
check(cuda.cuModuleGetFunction(byref(function), module, b"subtract"), 500)  # CUDA_ERROR_NOT_FOUND
check(cuda.cuModuleGetFunction(byref(function), module, b"add"))

n = 1000
x, y = (c_float * n)(*range(n)), (c_float * n)(*([1] * n))
dx, dy = c_uint64(), c_uint64()
check(cuda.cuMemAlloc_v2(byref(dx), c_size_t(4 * n)))
check(cuda.cuMemAlloc_v2(byref(dy), c_size_t(4 * n)))
check(cuda.cuMemcpyHtoD_v2(dx, x, c_size_t(4 * n)))
check(cuda.cuMemcpyHtoD_v2(dy, y, c_size_t(4 * n)))
start, stop = c_void_p(), c_void_p()
check(cuda.cuEventCreate(byref(start), 0))
check(cuda.cuEventCreate(byref(stop), 0))
check(cuda.cuEventRecord(start, None))
a, count = c_float(2), c_uint(n)
arguments = (c_void_p * 4)(*[ctypes.cast(byref(v), c_void_p) for v in (dx, dy, a, count)])
check(cuda.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, None, arguments, None))

class Packed(ctypes.Structure):
    _fields_ = [("x", c_uint64), ("y", c_uint64), ("a", c_float), ("n", c_uint)]

packed = Packed(dx.value, dy.value, 3, n)
size = c_size_t(ctypes.sizeof(packed))
extra = (c_void_p * 5)(1, ctypes.cast(byref(packed), c_void_p), 2, ctypes.cast(byref(size), c_void_p), 0)
check(cuda.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, None, None, extra))
check(cuda.cuLaunchKernel(function, 4, 1, 1, 2048, 1, 1, 0, None, arguments, None), 1)  # too many threads
check(cuda.cuEventRecord(stop, None))
check(cuda.cuEventSynchronize(stop))
milliseconds = c_float()
check(cuda.cuEventElapsedTime(byref(milliseconds), start, stop))
check(cuda.cuMemcpyDtoH_v2(y, dy, c_size_t(4 * n)))
calls, where, size = c_uint(), c_uint64(), c_size_t()
check(cuda.cuModuleGetGlobal_v2(byref(where), byref(size), module, b"calls"))
check(cuda.cuMemcpyDtoH_v2(byref(calls), where, size))
check(cuda.cuMemsetD32_v2(dy, 0x40490fdb, c_size_t(n)))
pi = (c_float * n)()
check(cuda.cuMemcpyDtoH_v2(pi, dy, c_size_t(4 * n)))
wrong = sum(y[i] != 1 + 5 * i for i in range(n)) + sum(abs(v - 3.14159274) > 1e-7 for v in pi)
check(cuda.cuCtxDestroy_v2(context))
print(name.value.decode(), f"{major.value}.{minor.value}:", wrong, "wrong,", calls.value, "threads, time", milliseconds.value > 0)
sys.exit(wrong != 0)
