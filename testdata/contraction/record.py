"""Runs PTX modules on a real GPU through its driver's own PTX compiler and writes what each kernel left: NAME.bin for NAME.ptx.

    record.py FOLDER OUT [--kernel probe] [--threads 32] [--bytes 1024] [--fma 0] [--level 0] [--cubin]

FOLDER holds the modules and inputs.bin, which the kernel gets as its first argument; the second is a buffer of --bytes bytes, zero at first,
which is what is written; the kernels of cases.py get two numbers besides. --fma and --level are the driver's options
CU_JIT_FMA and CU_JIT_OPTIMIZATION_LEVEL; --cubin loads NAME.cubin instead, which ptxas has made with options that the driver does not have. It needs
libcuda.so.1 and nothing else."""
import argparse, ctypes, multiprocessing, os, struct, sys


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--kernel", default="probe")
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--bytes", type=int, default=1024)
    parser.add_argument("--fma", type=int)
    parser.add_argument("--level", type=int)
    parser.add_argument("--cubin", action="store_true")
    parser.add_argument("--processes", type=int, default=12)
    return parser.parse_args()


def record(job):
    o, names = job
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *a):
        r = getattr(cuda, name)(*a)
        if r:
            s = ctypes.c_char_p()
            cuda.cuGetErrorString(r, ctypes.byref(s))
            raise RuntimeError(f"{name}: {s.value.decode() if s.value else r}")

    call("cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    data = open(os.path.join(o.folder, "inputs.bin"), "rb").read()
    given, result = ctypes.c_uint64(), ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(given), ctypes.c_size_t(len(data)))
    call("cuMemcpyHtoD_v2", given, data, ctypes.c_size_t(len(data)))
    call("cuMemAlloc_v2", ctypes.byref(result), ctypes.c_size_t(o.bytes))
    failed = []
    for name in names:
        try:
            module, log = ctypes.c_void_p(), ctypes.create_string_buffer(8192)
            chosen = [(5, ctypes.addressof(log)), (6, 8192)]
            if o.fma is not None:
                chosen.append((24, o.fma))
            if o.level is not None:
                chosen.append((7, o.level))
            keys = (ctypes.c_int * len(chosen))(*[k for k, _ in chosen])
            values = (ctypes.c_void_p * len(chosen))(*[v for _, v in chosen])
            text = open(os.path.join(o.folder, name + (".cubin" if o.cubin else ".ptx")), "rb").read() + b"\0"
            if cuda.cuModuleLoadDataEx(ctypes.byref(module), text, len(chosen), keys, values):
                raise RuntimeError("module refused: " + log.value.decode(errors="replace").strip().replace("\n", " "))
            function = ctypes.c_void_p()
            call("cuModuleGetFunction", ctypes.byref(function), module, o.kernel.encode())
            call("cuMemsetD8_v2", result, ctypes.c_ubyte(0), ctypes.c_size_t(o.bytes))
            f64 = name.endswith("_f64")
            numbers = [ctypes.create_string_buffer(struct.pack("<d" if f64 else "<f", v), 8) for v in (1.1, 0.7)]
            given_arguments = [given, result] + (numbers if o.kernel == "probe" else [])
            pointers = (ctypes.c_void_p * len(given_arguments))(*[ctypes.addressof(a) for a in given_arguments])
            call("cuLaunchKernel", function, 1, 1, 1, o.threads, 1, 1, 0, None, pointers, None)
            call("cuCtxSynchronize")
            bytes_out = ctypes.create_string_buffer(o.bytes)
            call("cuMemcpyDtoH_v2", bytes_out, result, ctypes.c_size_t(o.bytes))
            open(os.path.join(o.out, name + ".bin"), "wb").write(bytes_out.raw)
            call("cuModuleUnload", module)
        except (RuntimeError, OSError) as error:
            failed.append(f"{name}: {error}")
    return failed


def main():
    o = arguments()
    os.makedirs(o.out, exist_ok=True)
    names = sorted(f[:-4] for f in os.listdir(o.folder) if f.endswith(".ptx"))
    jobs = [(o, names[k::o.processes]) for k in range(o.processes)]
    with multiprocessing.get_context("spawn").Pool(o.processes) as pool:
        failed = [line for part in pool.map(record, jobs) for line in part]
    for line in failed:
        print(line)
    print(len(names) - len(failed), "recorded", len(failed), "failed")


if __name__ == "__main__":
    main()
