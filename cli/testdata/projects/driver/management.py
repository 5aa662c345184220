# NVML by ctypes beside the driver API: both tell of the same device and of its memory.
import ctypes
from ctypes import byref, c_char, c_int, c_size_t, c_uint, c_uint64, c_ulonglong, c_void_p

nvml = ctypes.CDLL("libnvidia-ml.so.1")
cuda = ctypes.CDLL("libcuda.so.1")

class Memory(ctypes.Structure):
    _fields_ = [("total", c_ulonglong), ("free", c_ulonglong), ("used", c_ulonglong)]

def check(result, want=0):
    assert result == want, (result, want)

count, device, name, uuid = c_uint(), c_void_p(), (c_char * 96)(), (c_char * 80)()
check(nvml.nvmlDeviceGetCount_v2(byref(count)), 1)  # NVML_ERROR_UNINITIALIZED
check(nvml.nvmlInit_v2())
check(nvml.nvmlDeviceGetCount_v2(byref(count)))
check(nvml.nvmlDeviceGetHandleByIndex_v2(count, byref(device)), 2)  # NVML_ERROR_INVALID_ARGUMENT
check(nvml.nvmlDeviceGetHandleByIndex_v2(0, byref(device)))
check(nvml.nvmlDeviceGetName(device, name, 96))
check(nvml.nvmlDeviceGetName(device, name, 2), 7)  # NVML_ERROR_INSUFFICIENT_SIZE
check(nvml.nvmlDeviceGetUUID(device, uuid, 80))
again, degrees, clock, major, minor = c_void_p(), c_uint(), c_uint(), c_int(), c_int()
check(nvml.nvmlDeviceGetHandleByUUID(uuid, byref(again)))
check(nvml.nvmlDeviceGetTemperature(device, 0, byref(degrees)), 3)  # NVML_ERROR_NOT_SUPPORTED
check(nvml.nvmlDeviceGetClockInfo(device, 1, byref(clock)))
check(nvml.nvmlDeviceGetCudaComputeCapability(device, byref(major), byref(minor)))
before, after = Memory(), Memory()
check(nvml.nvmlDeviceGetMemoryInfo(device, byref(before)))
check(cuda.cuInit(0))
context, p = c_void_p(), c_uint64()
check(cuda.cuCtxCreate_v2(byref(context), 0, 0))
check(cuda.cuMemAlloc_v2(byref(p), c_size_t(1 << 20)))
check(nvml.nvmlDeviceGetMemoryInfo(device, byref(after)))
check(nvml.nvmlShutdown())
print(count.value, name.value.decode(), uuid.value.decode(), clock.value, "MHz", f"{major.value}.{minor.value}", again.value == device.value,
      after.used - before.used, after.total == after.used + after.free)
