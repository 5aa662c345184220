"""Textures, surfaces and kernels through the CUDA driver: what record.py needs of libcuda.so.1, and nothing else."""
import ctypes

FORMATS = {"u8": 1, "u16": 2, "u32": 3, "s8": 8, "s16": 9, "s32": 10, "f16": 16, "f32": 32}
BYTES = {"u8": 1, "u16": 2, "u32": 4, "s8": 1, "s16": 2, "s32": 4, "f16": 2, "f32": 4}
ADDRESS = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
FILTER = {"point": 0, "linear": 1}
LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8  # flags of an array
INTEGERS, NORMALIZED = 1, 2  # flags of a texture


class Array3D(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]


class End(ctypes.Structure):
    _fields_ = [("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("z", ctypes.c_size_t), ("lod", ctypes.c_size_t), ("kind", ctypes.c_int),
                ("host", ctypes.c_void_p), ("device", ctypes.c_uint64), ("array", ctypes.c_void_p), ("reserved", ctypes.c_void_p),
                ("pitch", ctypes.c_size_t), ("height", ctypes.c_size_t)]


class Copy3D(ctypes.Structure):
    _fields_ = [("source", End), ("target", End), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t)]


class Linear(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_uint64), ("format", ctypes.c_int), ("channels", ctypes.c_uint), ("bytes", ctypes.c_size_t)]


class Pitched(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_uint64), ("format", ctypes.c_int), ("channels", ctypes.c_uint), ("width", ctypes.c_size_t),
                ("height", ctypes.c_size_t), ("pitch", ctypes.c_size_t)]


class Union(ctypes.Union):
    _fields_ = [("array", ctypes.c_void_p), ("linear", Linear), ("pitched", Pitched), ("reserved", ctypes.c_int * 32)]


class Resource(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("of", Union), ("flags", ctypes.c_uint)]


class Sampling(ctypes.Structure):
    _fields_ = [("address", ctypes.c_int * 3), ("filter", ctypes.c_int), ("flags", ctypes.c_uint), ("anisotropy", ctypes.c_uint),
                ("mipmap_filter", ctypes.c_int), ("bias", ctypes.c_float), ("least", ctypes.c_float), ("most", ctypes.c_float),
                ("border", ctypes.c_float * 4), ("reserved", ctypes.c_int * 12)]


class Device:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()
        self.kernels = {}

    def __call__(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else result}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(16, size)))
        return pointer

    def upload(self, data):
        pointer = self.allocate(len(data))
        self("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
        return pointer

    def download(self, pointer, size):
        out = ctypes.create_string_buffer(size)
        self("cuMemcpyDtoH_v2", out, pointer, ctypes.c_size_t(size))
        return out.raw

    def free(self, pointer):
        self("cuMemFree_v2", pointer)

    def kernel(self, ptx):
        """The kernel `probe` of a module, compiled once for each text."""
        if ptx not in self.kernels:
            module, log = ctypes.c_void_p(), ctypes.create_string_buffer(8192)
            options, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
            if self.library.cuModuleLoadDataEx(ctypes.byref(module), ptx.encode() + b"\0", 2, options, values):
                raise RuntimeError("module refused: " + log.value.decode().strip())
            function = ctypes.c_void_p()
            self("cuModuleGetFunction", ctypes.byref(function), module, b"probe")
            self.kernels[ptx] = function
        return self.kernels[ptx]

    def launch(self, function, threads, *arguments):
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
        self("cuLaunchKernel", function, (threads + 127) // 128, 1, 1, 128, 1, 1, 0, None, pointers, None)
        self("cuCtxSynchronize")


def extent(case):
    """Width, height and depth of the array that holds a case's texels, as the driver counts them."""
    w, h, d, layers = case["size"]
    return {"1d": (w, 0, 0), "2d": (w, h, 0), "3d": (w, h, d), "a1d": (w, 0, layers), "a2d": (w, h, layers), "cube": (w, w, 6),
            "acube": (w, w, 6 * layers)}[case["geometry"]]


class Image:
    """The texels of a case on the device, and the texture or surface object over them."""

    def __init__(self, device, case, texels, surface):
        self.device, self.array, self.pointer = device, None, None
        self.texel = BYTES[case["format"]] * case["channels"]
        self.extent = extent(case)
        resource = Resource()
        kind, form = case.get("resource", "array"), FORMATS[case["format"]]
        w, h, d = self.extent
        if kind == "array":
            g = case["geometry"]
            flags = (LAYERED if g[0] == "a" else 0) | (CUBEMAP if g.endswith("cube") else 0) | (SURFACE if surface else 0)
            if case["instruction"].startswith("tld4") and g == "2d":
                flags |= GATHER
            description = Array3D(w, h, d, form, case["channels"], flags)
            self.array = ctypes.c_void_p()
            device("cuArray3DCreate_v2", ctypes.byref(self.array), ctypes.byref(description))
            self.copy(texels, True)
            resource.kind, resource.of.array = 0, self.array.value
        elif kind == "linear":
            self.pointer = device.upload(texels)
            resource.kind, resource.of.linear = 2, Linear(self.pointer.value, form, case["channels"], len(texels))
        else:
            row = w * self.texel
            pitch = (row + 511) // 512 * 512
            padded = b"".join(texels[i * row:(i + 1) * row].ljust(pitch, b"\x5a") for i in range(h))
            self.pointer = device.upload(padded)
            resource.kind, resource.of.pitched = 3, Pitched(self.pointer.value, form, case["channels"], w, h, pitch)
        self.handle, self.surface = ctypes.c_uint64(), surface
        if surface:
            device("cuSurfObjectCreate", ctypes.byref(self.handle), ctypes.byref(resource))
            return
        sampling = Sampling()
        for i, mode in enumerate(case["address"]):
            sampling.address[i] = ADDRESS[mode]
        sampling.filter = FILTER[case["filter"]]
        integer = case["format"][0] != "f" and not case.get("normalized_read")
        sampling.flags = (INTEGERS if integer else 0) | (NORMALIZED if case["normalized"] else 0)
        device("cuTexObjectCreate", ctypes.byref(self.handle), ctypes.byref(resource), ctypes.byref(sampling), None)

    def copy(self, texels, up):
        """Copies between an array and host bytes: up, to the device, or back into texels."""
        w, h, d = (max(1, n) for n in self.extent)
        host, array = End(), End()
        host.kind, host.host, host.pitch, host.height = 1, ctypes.cast(ctypes.c_char_p(texels) if up else texels, ctypes.c_void_p), w * self.texel, h
        array.kind, array.array = 3, self.array
        copy = Copy3D(host if up else array, array if up else host, w * self.texel, h, d)
        self.device("cuMemcpy3D_v2", ctypes.byref(copy))

    def contents(self, size):
        out = ctypes.create_string_buffer(size)
        self.copy(out, False)
        return out.raw

    def close(self):
        self.device("cuSurfObjectDestroy" if self.surface else "cuTexObjectDestroy", self.handle)
        if self.array:
            self.device("cuArrayDestroy", self.array)
        if self.pointer:
            self.device.free(self.pointer)
