"""Writes how far the driver's PTX compiler unrolls loops: for loops of so many copies of a body, the most turns of which no branch is left,
and how many copies of the body a loop has whose number of turns is unknown. It needs a GPU's driver (libcuda.so.1) and nothing else.

    python3 turns.py > recorded.tsv
"""
import ctypes, multiprocessing, struct

HEAD = """.version 4.2
.target sm_35
.address_size 64
.visible .entry probe(.param .u64 in, .param .u32 n) {
.reg .f32 %a<20>; .reg .b32 %i<20>; .reg .b64 %d<9>; .reg .pred %p<9>; .shared .align 16 .b8 tile[32768];
ld.param.u64 %d0, [in]; ld.param.u32 %i9, [n]; mov.u32 %i1, %tid.x; mad.wide.u32 %d0, %i1, 80, %d0;
ld.global.f32 %a0, [%d0]; ld.global.f32 %a1, [%d0+4]; ld.global.f32 %a2, [%d0+8]; mov.f32 %a3, %a0;
mad.lo.u32 %i2, %i1, 16, 0; mov.u32 %i3, tile; add.u32 %i2, %i2, %i3;
"""
TAIL = "st.global.f32 [%d0+12], %a0; st.global.f32 [%d0+16], %a3; ret; }"
FMA = "fma.rn.f32 %a0, %a0, %a1, %a2;\n"
LOADED = "fma.rn.f32 %a0, %a4, %a1, %a0;\n"
BODIES = {
    "fma": FMA,
    "shared-load": "ld.shared.f32 %a4, [%i2]; add.u32 %i2, %i2, 128;" + LOADED,
    "global-load": "ld.global.f32 %a4, [%d0+64]; add.u64 %d0, %d0, 128;" + LOADED,
    "counter": "cvt.rn.f32.s32 %a4, %i0;" + LOADED,
    "sine": "sin.approx.f32 %a0, %a0;" + FMA,
    "barrier": FMA + "st.shared.f32 [%i2], %a0; bar.sync 0; ld.shared.f32 %a0, [%i2+128]; bar.sync 0;\n",
    "atomic": "atom.shared.add.u32 %i4, [%i3], 1; cvt.rn.f32.u32 %a4, %i4;" + LOADED,
    "guarded": "setp.gt.f32 %p3, %a0, %a2; @%p3 " + FMA,
    "root": "sqrt.rn.f32 %a0, %a0;" + FMA,
    "fence": "membar.gl;" + FMA,
}
UP = ("mov.u32 %i0, 0;", "add.s32 %i0, %i0, 1; setp.lt.s32 %p0, %i0, {}; @%p0")
SHAPES = {  # how a loop of twelve or thirteen turns may count
    "up": UP,
    "down": ("mov.u32 %i0, 12;", "sub.s32 %i0, %i0, 1; setp.ge.s32 %p0, %i0, 0; @%p0"),
    "not-equal": ("mov.u32 %i0, 0;", "add.s32 %i0, %i0, 1; setp.ne.s32 %p0, %i0, 12; @%p0"),
    "wide": ("mov.u64 %d5, 0;", "add.s64 %d5, %d5, 1; setp.lt.s64 %p0, %d5, 12; @%p0"),
    "until-equal": ("mov.u32 %i0, 0;", "add.s32 %i0, %i0, 1; setp.eq.s32 %p0, %i0, 12; @!%p0"),
    "halved": ("mov.u32 %i0, 4096;", "shr.u32 %i0, %i0, 1; setp.ne.u32 %p0, %i0, 0; @%p0"),
    "doubled": ("mov.u32 %i0, 1;", "shl.b32 %i0, %i0, 1; setp.lt.u32 %p0, %i0, 4096; @%p0"),
    "f32": ("mov.f32 %a9, 0f00000000;", "add.rn.f32 %a9, %a9, 0f3F800000; setp.lt.f32 %p0, %a9, 0f41400000; @%p0"),
    "compared-before": ("mov.u32 %i0, 0;", "setp.lt.s32 %p0, %i0, 12; add.s32 %i0, %i0, 1; @%p0"),
    "from-register": ("mov.u32 %i0, %i9; add.u32 %i8, %i9, 12;", "add.s32 %i0, %i0, 1; setp.ne.s32 %p0, %i0, %i8; @%p0"),
}


def operations(text):
    """The opcodes of the machine code that the driver makes of a module."""
    global cuda
    if "cuda" not in globals():
        cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        cuda.cuInit(0)
        cuda.cuDeviceGet(ctypes.byref(device), 0)
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        cuda.cuCtxSetCurrent(context)
    state, out, size, data = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(), text.encode() + b"\0"
    cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(state))
    if cuda.cuLinkAddData_v2(state, 1, data, ctypes.c_size_t(len(data)), b"probe", 0, None, None):
        raise RuntimeError(text)
    if cuda.cuLinkComplete(state, ctypes.byref(out), ctypes.byref(size)):
        raise RuntimeError(text)
    image = ctypes.string_at(out, size.value)
    cuda.cuLinkDestroy(state)
    table, = struct.unpack_from("<Q", image, 40)
    entry, count, names = struct.unpack_from("<HHH", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, table + entry * k) for k in range(count)]
    for s in sections:
        if image[sections[names][4] + s[0]:].startswith(b".text"):
            code = image[s[4]:s[4] + s[5]]
    return [struct.unpack_from("<Q", code, k)[0] & 0xfff for k in range(0, len(code), 16)]


BRANCH, FFMA = 0x947, 0x23  # each kernel ends with one branch to itself


def loop(body, shape, turns):
    start, end = shape
    return HEAD + start + "\nL1:\n" + body + end.format(turns) + " bra L1;\n" + TAIL


def unrolled(body, shape, turns):
    return operations(loop(body, shape, turns)).count(BRANCH) == 1


def most(job):
    name, copies = job
    low, high = 1, 8192 // copies + 2
    while high - low > 1:
        middle = (low + high) // 2
        if unrolled(BODIES[name] * copies, UP, middle):
            low = middle
        else:
            high = middle
    return "turns", name, copies, low


def unknown(job):
    name, copies = job
    return "unknown", name, copies, sum(o & 0x1ff == FFMA for o in operations(loop(BODIES[name] * copies, UP, "%i9"))) // copies


if __name__ == "__main__":
    jobs = [("fma", k) for k in list(range(1, 40)) + list(range(40, 140, 4))]
    jobs += [(name, k) for name in BODIES if name not in ("fma", "root", "fence") for k in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
    with multiprocessing.Pool() as pool:
        for row in pool.imap(most, jobs):
            print(*row, sep="\t")
        for row in pool.imap(unknown, [(n, k) for n in BODIES if n not in ("root", "fence") for k in range(1, 30)]):
            print(*row, sep="\t")
    for name, shape in SHAPES.items():
        print("shape", name, 12, int(unrolled(FMA, shape, 12)), sep="\t")
    for name in ("root", "fence"):
        print("body", name, 2, int(sum(o & 0x1ff == FFMA for o in operations(loop(BODIES[name], UP, 4))) > sum(o & 0x1ff == FFMA for o in operations(loop(BODIES[name], UP, 1)))), sep="\t")
