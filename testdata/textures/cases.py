"""The cases that record.py runs: each function yields (description, texels, operands). Deterministic: seeds are fixed."""
import numpy as np

DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}
SIZES = {"1d": (13, 1, 1, 1), "2d": (11, 7, 1, 1), "3d": (6, 5, 3, 1), "a1d": (13, 1, 1, 3), "a2d": (9, 6, 1, 4), "cube": (6, 6, 1, 1), "acube": (5, 5, 1, 3)}
MODES = ["clamp", "wrap", "mirror", "border"]
CODES = {"u8": "u1", "s8": "i1", "u16": "u2", "s16": "i2", "u32": "u4", "s32": "i4", "f16": "f2", "f32": "f4"}


def bits(floats):
    return np.asarray(floats, np.float32).view(np.uint32)


def shape(size, geometry, channels):
    w, h, d, layers = size
    faces = 6 if geometry.endswith("cube") else 1
    return (faces * layers, d, h, w, channels)


def small(size, geometry, r):
    """f32 texels that are whole numbers of 8 bits, so that weights show."""
    return r.integers(0, 256, shape(size, geometry, 1)).astype("<f4")


def texels(form, dims, r, special=False):
    code = np.dtype("<" + CODES[form])
    if code.kind != "f":
        info = np.iinfo(code)
        a = r.integers(info.min, info.max, dims, endpoint=True).astype(code)
        flat = a.reshape(-1)
        flat[:6] = np.array([info.min, info.max, 0, info.max // 2, info.min + 1, 1], code)[:len(flat)]
        return a
    if special:
        pool = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 65504, -65504, 6e-8, 1e-5, -3e-5, 1e-7, 0.1], np.float64)
        if form == "f32":
            pool = np.concatenate([pool, [3.4e38, -3.4e38, 1e-39, -1e-40, 1.2e-38, 1e20, 1e-20]])
        a = r.choice(pool, dims).astype(code)
        return a
    return r.uniform(-1, 1, dims).astype(code)


def along(n, normalized, count, r):
    """Coordinates of one dimension of n texels: edges, weights' ties, special values, random ones."""
    edge = [0.0, -0.0, 0.5, 1, n - 1, n - 0.5, n, n + 0.5, -0.5, -1, -n, 2 * n, -2 * n, 3 * n, 2.5 * n, n + 1, 2 * n - 0.5, 1 / 512, 3 / 512, 0.5 + 1 / 512,
            0.5 - 1 / 512, 1.5 + 3 / 512, -1 / 512, n - 1 / 512, 1e-7, -1e-7, 1e-30, -1e-30, n - 1e-6, 0.25 * n, 0.75 * n, 1.25 * n]
    a = np.concatenate([edge, np.nextafter(np.float32(edge), np.float32(np.inf)), np.nextafter(np.float32(edge), np.float32(-np.inf)),
                        r.integers(-512, 512 * (n + 1), 40) / 512, r.uniform(-0.5, n + 0.5, count), r.uniform(-2 * n, 3 * n, count // 4)])
    if normalized:
        a = a / n
    wild = [np.inf, -np.inf, np.nan, 1e10, -1e10, 1e30, -1e30, 2.0 ** 31, -2.0 ** 31, 2.0 ** 23 + 1, 2.0 ** 24, -2.0 ** 22 - 0.5, 8191.75, 65536.25, 1e-39, -1e-39, 1e6 + 0.3]
    return np.concatenate([a, wild]).astype(np.float32)


def operands(geometry, size, normalized, count, r, integers=False):
    """Operand words: the layer where there is one, then the coordinates."""
    rows = []
    for n in size[:DIMENSIONS[geometry]]:
        if integers:
            pool = np.concatenate([np.arange(-3, n + 4), [2 ** 31 - 1, -2 ** 31, 65535, 65536, -n, 2 * n, 3 * n + 1]]).astype(np.int32)
            rows.append(r.choice(pool, count).view(np.uint32))
        else:
            pool = r.permutation(along(n, normalized, max(20, count - 200), r))
            rows.append(bits(np.resize(pool, count) if len(pool) < count else pool[:count]))
    if geometry[0] == "a":
        pool = np.array(list(range(size[3] + 2)) + [2 ** 32 - 1, 2 ** 31, 2 ** 31 - 1, 65536], np.uint32)
        p = np.concatenate([np.full(6, 1 / 9)[:min(6, size[3])], np.ones(len(pool) - min(6, size[3])) * 0.1])
        rows.insert(0, r.choice(pool, count, p=p / p.sum()))
    return np.stack(rows, 1)


def names(geometry, first=0):
    """The coordinate vector of an instruction: c0 on; three coordinates need a fourth element."""
    n = DIMENSIONS[geometry] + (geometry[0] == "a")
    list_ = [f"%c{first + i}" for i in range(n)]
    if geometry in ("a2d",) or geometry in ("3d", "cube"):
        list_.append(list_[-1])
    return "{" + ", ".join(list_) + "}"


RESULT = "{%d0, %d1, %d2, %d3}"


def base(geometry, form, channels=1, address="clamp", filter="point", normalized=False, read=False, size=None, **more):
    address = [address] * 3 if isinstance(address, str) else address
    return {"geometry": geometry, "size": list(size or SIZES[geometry]), "format": form, "channels": channels, "address": address, "filter": filter,
            "normalized": normalized, "normalized_read": read, **more}


def kind(form, read):
    """The type of a result."""
    return "f32" if form[0] == "f" or read else ("s32" if form[0] == "s" else "u32")


def addresses():
    """Where texels lie: geometries, address modes, both kinds of coordinates, both filters."""
    r = np.random.default_rng(1)
    for g in ["1d", "2d", "3d", "a1d", "a2d"]:
        for normalized in (False, True):
            for mode in MODES:
                for filter in ("point", "linear"):
                    size = SIZES[g]
                    ops = operands(g, size, normalized, 400, r)
                    yield base(g, "f32", 1, mode, filter, normalized, instruction=f"tex.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}];", words=ops.shape[1], results=4), small(size, g, r), ops
    for g, modes in [("2d", ["wrap", "mirror", "clamp"]), ("3d", ["border", "wrap", "mirror"]), ("3d", ["mirror", "clamp", "border"]), ("2d", ["clamp", "border", "wrap"])]:
        for filter in ("point", "linear"):
            ops = operands(g, SIZES[g], True, 300, r)
            yield base(g, "f32", 1, modes, filter, True, instruction=f"tex.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}];", words=ops.shape[1], results=4), small(SIZES[g], g, r), ops


def positions():
    """How coordinates become texels and weights: ramps, so that a result is the position. The widths include ones that are not powers of two."""
    r = np.random.default_rng(2)
    for width in (1, 2, 3, 7, 16, 100, 1000, 4096, 16384):
        ramp = np.arange(width, dtype="<f4").reshape(1, 1, 1, width, 1)
        for normalized in (False, True):
            for mode in (("clamp", "wrap", "mirror", "border") if width in (7, 16, 1000) and normalized else ("clamp",)):
                for filter in ("point", "linear"):
                    x = np.concatenate([r.uniform(-0.1, 1.1, 300) * width, r.integers(0, 512 * width, 200) / 512, r.integers(0, 1 + width, 100) + r.uniform(-1, 1, 100) / 256,
                                        r.integers(0, 256 * width, 200) / 256 + r.uniform(-1, 1, 200) / 4096, r.uniform(-6, 6, 100) * width])
                    x = (x / width if normalized else x).astype(np.float32)
                    x = np.concatenate([x, np.nextafter(x[300:600], np.float32(9e9)), np.nextafter(x[300:600], np.float32(-9e9))])
                    yield base("1d", "f32", 1, mode, filter, normalized, size=(width, 1, 1, 1), instruction=f"tex.1d.v4.f32.f32 {RESULT}, [%t, {{%c0}}];", words=1, results=4, kept=1), ramp, bits(x)[:, None]


def formats():
    """What texels become: every format, with and without normalised reads, one to four channels."""
    r = np.random.default_rng(3)
    for g in ("1d", "2d"):
        for form in CODES:
            for read in (False, True) if form in ("u8", "s8", "u16", "s16") else (False,):
                for channels in (1, 2, 4):
                    for filter in ("point", "linear"):
                        if filter == "linear" and kind(form, read) != "f32":
                            continue
                        size = (64, 1, 1, 1) if g == "1d" else (16, 8, 1, 1)
                        x = np.stack([r.uniform(-0.5, n + 0.5, 256).astype(np.float32) for n in size[:DIMENSIONS[g]]], 1)
                        yield (base(g, form, channels, "clamp", filter, False, read, size=size, instruction=f"tex.{g}.v4.{kind(form, read)}.f32 {RESULT}, [%t, {names(g)}];",
                                    words=x.shape[1], results=4), texels(form, shape(size, g, channels), r), bits(x))
    # Every value of the small formats; borders; results of another type than the texels'.
    for form, read in (("u8", True), ("s8", True), ("u8", False), ("s8", False)):
        size = (256, 1, 1, 1)
        all_ = np.arange(256).astype("u1").view(CODES[form]).reshape(shape(size, "1d", 1))
        yield base("1d", form, 1, "clamp", "point", False, read, size=size, resource="linear", instruction=f"tex.1d.v4.{kind(form, read)}.s32 {RESULT}, [%t, {{%c0}}];", words=1, results=4, kept=1), all_, np.arange(256, dtype=np.uint32)[:, None]
    for form in ("u16", "s16", "f16"):
        size = (256, 256, 1, 1)
        all_ = np.arange(65536).astype("u2").view("<" + CODES[form]).reshape(shape(size, "2d", 1))
        i = np.arange(0, 65536, 1 if form == "f16" else 3, dtype=np.uint32)
        yield base("2d", form, 1, "clamp", "point", False, form != "f16", size=size, instruction=f"tex.2d.v4.f32.s32 {RESULT}, [%t, {{%c0, %c1}}];", words=2, results=4, kept=1), all_, np.stack([i % 256, i // 256], 1)
    for form in CODES:
        for read in (False, True) if form in ("u8", "s16") else (False,):
            for channels in (1, 2, 4):
                x = bits([-1, 0.5, 9])[:, None]
                yield (base("1d", form, channels, "border", "point", False, read, size=(4, 1, 1, 1), instruction=f"tex.1d.v4.{kind(form, read)}.f32 {RESULT}, [%t, {{%c0}}];", words=1, results=4),
                       texels(form, shape((4, 1, 1, 1), "1d", channels), r), x)
    for form, read, other in (("f32", False, "u32"), ("f32", False, "s32"), ("u8", True, "u32"), ("u8", False, "f32"), ("s16", False, "u32"), ("u16", False, "s32"), ("s32", False, "f32"), ("f16", False, "u32")):
        x = bits(r.uniform(0, 16, 32).astype(np.float32))[:, None]
        yield base("1d", form, 4, "clamp", "point", False, read, size=(16, 1, 1, 1), instruction=f"tex.1d.v4.{other}.f32 {RESULT}, [%t, {{%c0}}];", words=1, results=4), texels(form, shape((16, 1, 1, 1), "1d", 4), r), x
    for form in ("f32", "f16"):
        for filter in ("point", "linear"):
            x = bits(r.uniform(0, 64, 512).astype(np.float32))[:, None]
            yield base("1d", form, 1, "clamp", filter, False, size=(64, 1, 1, 1), instruction=f"tex.1d.v4.f32.f32 {RESULT}, [%t, {{%c0}}];", words=1, results=4, kept=1), texels(form, shape((64, 1, 1, 1), "1d", 1), r, True), x


def blends():
    """How weighted texels are summed, in one, two and three dimensions, for all formats that filter."""
    r = np.random.default_rng(4)
    for g, size in (("1d", (256, 1, 1, 1)), ("2d", (16, 16, 1, 1)), ("3d", (8, 8, 4, 1))):
        for form in ("f32", "f16", "u8", "s8", "u16", "s16"):
            for spread in ((0, 1, 2) if form[0] == "f" else (0,)):
                data = texels(form, shape(size, g, 1), r)
                if spread:
                    limit = {"f32": 20, "f16": 8}[form] if spread == 1 else 3
                    data = (data * 2.0 ** r.integers(-limit, limit, data.shape)).astype(data.dtype)
                if spread == 2:
                    data = abs(data)
                x = np.stack([r.integers(0, 256 * n, 2048) / 256 for n in size[:DIMENSIONS[g]]], 1).astype(np.float32)
                yield base(g, form, 1, "clamp", "linear", False, form[0] != "f", size=size, instruction=f"tex.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}];", words=x.shape[1], results=4, kept=1), data, bits(x)


def directions(count, r):
    """Directions into a cube: random ones, along axes, edges and corners, special values."""
    a = r.normal(size=(count, 3))
    b = r.integers(-2, 3, (count // 4, 3)).astype(float)
    c = r.choice([1, -1, 0.999, -0.999, 0.5, 1.0001, 1e-3], (count // 4, 3))
    d = r.normal(size=(count // 8, 3)) * 10.0 ** r.integers(-20, 20, (count // 8, 1))
    e = r.choice([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e38, 1e-39], (count // 8, 3))
    return np.concatenate([a, b, c, d, e]).astype(np.float32)


def cubes():
    """Faces, places on them, seams."""
    r = np.random.default_rng(5)
    for g in ("cube", "acube"):
        for filter in ("point", "linear"):
            for mode in ("clamp", "wrap", "border"):
                size = SIZES[g]
                d = bits(directions(400, r))
                if g == "acube":
                    d = np.concatenate([r.choice(np.array([0, 1, 2, 3, 4, 2 ** 32 - 1, 65536], np.uint32), (len(d), 1)), d], 1)
                for normalized in ((True, False) if mode == "clamp" else (True,)):
                    yield (base(g, "f32", 1, mode, filter, normalized, instruction=f"tex.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}];", words=d.shape[1], results=4, kept=1),
                           small(size, g, r), d)
    # A big face: where exactly a direction lands. Texels say their own x or y; a texture a face would need more, so all six are alike.
    for axis in (0, 1):
        n = 256
        ramp = np.broadcast_to(np.arange(n, dtype="<f4").reshape((1, 1, 1, n, 1) if axis == 0 else (1, 1, n, 1, 1)), (6, 1, n, n, 1))
        for filter in ("point", "linear"):
            yield base("cube", "f32", 1, "clamp", filter, True, size=(n, n, 1, 1), instruction=f"tex.cube.v4.f32.f32 {RESULT}, [%t, {names('cube')}];", words=3, results=4, kept=1), ramp, bits(directions(1500, r))


def gathers():
    """tld4: components, order, address modes."""
    r = np.random.default_rng(6)
    for g in ("2d", "a2d", "cube", "acube"):
        for component in "rgba":
            for form, channels, read in (("f32", 4, False), ("u8", 4, False), ("s16", 2, True), ("u32", 1, False)):
                for mode in ("clamp", "border") + (("wrap", "mirror") if form == "f32" and component == "r" else ()):
                    size = SIZES[g]
                    normalized = mode in ("wrap", "mirror") or g.endswith("cube")
                    if g.endswith("cube"):
                        d = directions(150, r)
                        ops = bits(d) if g == "cube" else np.concatenate([r.integers(0, 4, (len(d), 1)).astype(np.uint32), bits(d)], 1)
                    else:
                        ops = operands(g, size, normalized, 250, r)
                    yield (base(g, form, channels, mode, "point" if kind(form, read) != "f32" or component == "g" else "linear", normalized, read,
                                instruction=f"tld4.{component}.{g}.v4.{kind(form, read)}.f32 {RESULT}, [%t, {names(g)}];", words=ops.shape[1], results=4), texels(form, shape(size, g, channels), r), ops)


def integers():
    """Integer coordinates in arrays and in plain memory, all coordinates in pitched memory. On the device tex.1d with integer coordinates is for plain memory alone."""
    r = np.random.default_rng(7)
    for g in ("2d", "3d", "a1d", "a2d"):
        for mode in MODES:
            for filter in ("point", "linear"):
                for normalized in (False, True):
                    ops = operands(g, SIZES[g], False, 150, r, True)
                    yield base(g, "f32", 1, mode, filter, normalized, instruction=f"tex.{g}.v4.f32.s32 {RESULT}, [%t, {names(g)}];", words=ops.shape[1], results=4), small(SIZES[g], g, r), ops
    for form, channels in (("f32", 1), ("u8", 4), ("s16", 2), ("f16", 4), ("u32", 4)):
        ops = operands("1d", (64, 1, 1, 1), False, 150, r, True)
        for mode in ("clamp", "border"):
            yield (base("1d", form, channels, mode, "point", False, size=(64, 1, 1, 1), resource="linear", instruction=f"tex.1d.v4.{kind(form, False)}.s32 {RESULT}, [%t, {{%c0}}];", words=1, results=4),
                   texels(form, shape((64, 1, 1, 1), "1d", channels), r), ops)
    for mode in MODES:
        for normalized in (False, True):
            for filter in ("point", "linear"):
                ops = operands("2d", (32, 9, 1, 1), normalized, 300, r)
                yield (base("2d", "f32", 1, mode, filter, normalized, size=(32, 9, 1, 1), resource="pitch", instruction=f"tex.2d.v4.f32.f32 {RESULT}, [%t, {{%c0, %c1}}];", words=2, results=4), small((32, 9, 1, 1), "2d", r), ops)


def levels():
    """tex.level and tex.grad of a texture without further levels, tex.base."""
    r = np.random.default_rng(8)
    wild = np.array([0, 0, 0, 1, -1, 0.5, 2, 100, -100, np.inf, np.nan, 1e30], np.float32)
    for g in ("1d", "2d", "3d", "a1d", "a2d", "cube", "acube"):
        for filter in ("point", "linear"):
            size = SIZES[g]
            d = directions(150, r)
            ops = operands(g, size, True, 250, r) if not g.endswith("cube") else bits(d) if g == "cube" else np.concatenate([r.integers(0, 4, (len(d), 1)).astype(np.uint32), bits(d)], 1)
            n = ops.shape[1]
            lod = bits(r.choice(wild, len(ops)))[:, None]
            data = small(size, g, r)
            yield base(g, "f32", 1, "wrap", filter, True, instruction=f"tex.level.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}], %c{n};", words=n + 1, results=4, kept=1), data, np.concatenate([ops, lod], 1)
            yield base(g, "f32", 1, "wrap", filter, True, instruction=f"tex.base.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}];", words=n, results=4, kept=1), data, ops
            k = DIMENSIONS[g]
            if g != "acube":
                v = lambda first: "{" + ", ".join([f"%c{first + i}" for i in range(k)] + ([f"%c{first}"] if k == 3 else [])) + "}"
                grads = bits(r.choice(wild, (len(ops), 2 * k)))
                yield (base(g, "f32", 1, "wrap", filter, True, instruction=f"tex.grad.{g}.v4.f32.f32 {RESULT}, [%t, {names(g)}], {v(n)}, {v(n + k)};", words=n + 2 * k, results=4, kept=1), data,
                       np.concatenate([ops, grads], 1))
        if not g.endswith("cube") and g != "1d":
            ops = operands(g, size, False, 150, r, True)
            n = ops.shape[1]
            lod = r.choice(np.array([0, 0, 1, -1, 7, 100, -2 ** 31], np.int64), (len(ops), 1)).astype(np.int32).view(np.uint32)
            yield base(g, "f32", 1, "clamp", "point", False, instruction=f"tex.level.{g}.v4.f32.s32 {RESULT}, [%t, {names(g)}], %c{n};", words=n + 1, results=4, kept=1), data, np.concatenate([ops, lod], 1)


def queries():
    """txq and suq, one lane each; the device's compiler knows no other queries by handle."""
    r = np.random.default_rng(9)
    one = np.zeros((1, 1), np.uint32)
    texture = surface = ["width", "height", "depth"]
    for g in DIMENSIONS:
        data = small(SIZES[g], g, r)
        for q in texture:
            yield base(g, "f32", 1, ["wrap", "mirror", "border"], "linear", True, instruction=f"txq.{q}.b32 %d0, [%t];", words=0, results=1), data, one
        for q in texture:
            for lod in (0, 1):
                yield base(g, "f32", 1, "clamp", "point", False, instruction=f"txq.level.{q}.b32 %d0, [%t], {lod};", words=0, results=1), data, one
        for q in surface:
            yield base(g, "f32", 1, instruction=f"suq.{q}.b32 %d0, [%t];", words=0, results=1), data, one
    for resource, g in (("linear", "1d"), ("pitch", "2d")):
        for q in texture:
            yield base(g, "f32", 1, resource=resource, instruction=f"txq.{q}.b32 %d0, [%t];", words=0, results=1), small(SIZES[g], g, r), one


def surfaces():
    """suld, sust and sured inside, and outside with .clamp and .zero."""
    r = np.random.default_rng(10)
    sizes = {"1d": (16, 1, 1, 1), "2d": (8, 6, 1, 1), "3d": (8, 4, 3, 1), "a1d": (16, 1, 1, 3), "a2d": (8, 4, 1, 3)}
    vector = {1: ("", "{%d0}", "{%cA}"), 2: ("v2.", "{%d0, %d1}", "{%cA, %cB}"), 4: ("v4.", RESULT, "{%cA, %cB, %cC, %cD}")}
    for g, size in sizes.items():
        k = DIMENSIONS[g] + (g[0] == "a")
        for mode in ("clamp", "zero"):
            for width, bytes_ in (("b8", 1), ("b16", 2), ("b32", 4)):
                for v in (1, 2, 4):
                    form, channels = {1: ("u8", 1), 2: ("u16", 1), 4: ("u32", 1), 8: ("u32", 2), 16: ("u32", 4)}[bytes_ * v]
                    row = size[0] * bytes_ * v
                    ops = operands(g, size, False, 120, r, True)
                    x = ops[:, 1 if g[0] == "a" else 0].view(np.int32)
                    x[:] = np.clip(x.astype(np.int64), -5, size[0] + 5) * bytes_ * v
                    data = texels(form, shape(size, g, channels), r)
                    prefix, result, values = vector[v]
                    if width == "b32":
                        load = f"suld.b.{g}.{prefix}b32.{mode} {result}, [%t, {names(g)}];"
                    else:
                        halves = "{" + ", ".join(f"%h{i}" for i in range(v)) + "}"
                        load = f"{{ .reg .b16 %h<4>; suld.b.{g}.{prefix}{width}.{mode} {halves}, [%t, {names(g)}];" + "".join(f" cvt.u32.u16 %d{i}, %h{i};" for i in range(v)) + " }"
                    yield base(g, form, channels, size=size, instruction=load, words=k, results=v), data, ops
                    # Each element is stored once: whole rows in a random order, and places outside.
                    if width == "b32":
                        places = np.stack(np.meshgrid(*[np.arange(n) for n in ([size[3]] if g[0] == "a" else []) + list(size[:DIMENSIONS[g]])], indexing="ij"), -1).reshape(-1, k)
                        keep = places[r.permutation(len(places))[:len(places) * 2 // 3]].astype(np.int32)
                        if mode == "zero":
                            out = keep[:20].copy()
                            out[np.arange(len(out)), r.integers(0, k, len(out))] = r.choice([-1, 100, 2 ** 20, -2 ** 20], len(out))
                            keep = np.concatenate([keep, out])
                        keep[:, 1 if g[0] == "a" else 0] *= bytes_ * v
                        values_ = r.integers(0, 2 ** 32, (len(keep), v), dtype=np.uint32)
                        letters = values.replace("%cA", f"%c{k}").replace("%cB", f"%c{k + 1}").replace("%cC", f"%c{k + 2}").replace("%cD", f"%c{k + 3}")
                        yield base(g, form, channels, size=size, instruction=f"sust.b.{g}.{prefix}b32.{mode} [%t, {names(g)}], {letters};", words=k + v, results=0), data, np.concatenate([keep.view(np.uint32), values_], 1)
    for form in CODES:
        for channels in (1, 2, 4):
            g, size = "2d", (16, 8, 1, 1)
            places = np.stack(np.meshgrid(np.arange(16), np.arange(8), indexing="ij"), -1).reshape(-1, 2).astype(np.uint32)
            values_ = r.integers(0, 2 ** 32, (len(places), 4), dtype=np.uint32)
            tame = r.uniform(-300, 300, values_.shape)
            if form[0] == "f":
                special = bits([0.1, -0.1, 65504, 65519, 65520, 1e-8, 6e-8, 5.9604645e-8, 2.9802322e-8, 2.98023225e-8, 1e10, np.inf, -np.inf, np.nan, 1 + 2 ** -11, 1 + 3 * 2 ** -11, -1e-40])
                values_ = np.where(r.random(values_.shape) < 0.4, r.choice(special, values_.shape), np.where(r.random(values_.shape) < 0.5, bits(tame), values_))
            else:
                values_ = np.where(r.random(values_.shape) < 0.6, (tame * r.choice([1, 100], tame.shape)).astype(np.int32).view(np.uint32), values_)
            data = texels(form, shape(size, g, channels), r)
            for v in (1, 2, 4):
                prefix, _, values = vector[v]
                letters = values.replace("%cA", "%c2").replace("%cB", "%c3").replace("%cC", "%c4").replace("%cD", "%c5")
                yield base(g, form, channels, size=size, instruction=f"sust.p.{g}.{prefix}b32.clamp [%t, {{%c0, %c1}}], {letters};", words=6, results=0), data, np.concatenate([places, values_], 1)
    for g in ("1d", "2d", "3d"):
        size, k = sizes[g], DIMENSIONS[g]
        for op, t, form in (("add", "u32", "u32"), ("add", "s32", "s32"), ("min", "u32", "u32"), ("min", "s32", "s32"), ("max", "u32", "u32"), ("max", "s32", "s32"), ("and", "b32", "u32"), ("or", "b32", "u32"),
                            ("add", "u64", "u32"), ("add", "b32", "u32"), ("min", "b32", "s32"), ("min", "b32", "u32"), ("max", "b32", "s32")):
            for mode in ("clamp", "zero"):
                p = "p" if t == "b32" and op in ("add", "min", "max") else "b"
                for p in (["b", "p"] if op in ("and", "or") else [p]):
                    wide = t.endswith("64")
                    ops = operands(g, size, False, 200, r, True)
                    x = ops[:, 0].view(np.int32)
                    x[:] = np.clip(x.astype(np.int64), -5, size[0] + 5) * ((8 if wide else 4) if p == "b" else 1)
                    channels = 2 if wide else 1
                    values_ = r.integers(0, 2 ** 32, (len(ops), channels), dtype=np.uint32)
                    text = f"sured.{p}.{op}.{g}.{t}.{mode} [%t, {names(g)}], "
                    text = f"mov.b64 %wide0, {{%c{k}, %c{k + 1}}}; {text}%wide0;" if wide else f"{text}%c{k};"
                    yield (base(g, form, channels, size=size, instruction=text, words=k + channels, results=0), texels(form, shape(size, g, channels), r), np.concatenate([ops, values_], 1))


def weights():
    """The eight weights of a three-dimensional filter, one a channel: texels that are 1 in one corner of a cube of two and 0 elsewhere."""
    r = np.random.default_rng(11)
    x = np.concatenate([r.integers(0, 257, (5000, 3)), r.choice([0, 1, 2, 3, 64, 127, 128, 129, 192, 254, 255, 256], (2000, 3)), 16 * r.integers(0, 17, (1000, 3))])
    for z in (0, 1):
        corners = np.zeros((1, 2, 2, 2, 4), "<f4")
        for channel in range(4):
            corners[0, z, channel >> 1, channel & 1, channel] = 1
        yield (base("3d", "f32", 4, "clamp", "linear", False, size=(2, 2, 2, 1), instruction=f"tex.3d.v4.f32.f32 {RESULT}, [%t, {names('3d')}];", words=3, results=4), corners,
               bits((x / 256 + 0.5).astype(np.float32)))


def widths():
    """How finely normalised coordinates are read: ramps of many widths, at coordinates near where the texel or the weight changes."""
    r = np.random.default_rng(12)
    for width in (3, 17, 48, 63, 129, 257, 500, 2049, 3000, 4095, 6000, 8191, 8192, 8193, 10000, 16383, 20000, 32768, 50000, 65535, 65536):
        ramp = np.arange(width, dtype="<f4").reshape(1, 1, 1, width, 1)
        k = np.concatenate([r.integers(0, 256 * width, 150) + 0.5, r.integers(0, width, 50) * 256.0])
        x = np.repeat(k / 256 / width, 4) + r.uniform(-3, 6, 800) * 2.0 ** -22
        x[700:] = r.uniform(0, 1, 100) ** 4
        x = x.astype(np.float32)
        for filter in ("point", "linear"):
            yield base("1d", "f32", 1, "wrap", filter, True, size=(width, 1, 1, 1), instruction=f"tex.1d.v4.f32.f32 {RESULT}, [%t, {{%c0}}];", words=1, results=4, kept=1), ramp, bits(x)[:, None]
    for width, height in ((24, 1000), (1000, 24), (100, 100)):
        for axis in (0, 1):
            n = (width, height)[axis]
            ramp = np.broadcast_to(np.arange(n, dtype="<f4").reshape((1, 1, 1, n, 1) if axis == 0 else (1, 1, n, 1, 1)), (1, 1, height, width, 1))
            xy = np.stack([r.integers(0, 512 * m, 500) / 512 / m + r.uniform(-3, 6, 500) * 2.0 ** -22 for m in (width, height)], 1).astype(np.float32)
            yield base("2d", "f32", 1, "clamp", "linear", True, size=(width, height, 1, 1), instruction=f"tex.2d.v4.f32.f32 {RESULT}, [%t, {{%c0, %c1}}];", words=2, results=4, kept=1), ramp, bits(xy)


def joins():
    """How the two slices of a three-dimensional filter are added: one texel of weight in each, exponents apart by 0 to 40."""
    r = np.random.default_rng(13)
    n = 64
    for form, apart in (("f32", 12), ("f32", 40), ("f16", 8), ("f16", 25)):
        code = np.dtype("<" + CODES[form])
        significand = 1 + r.integers(0, 2 ** (23 if form == "f32" else 10), (2, n, n)) * 2.0 ** (-23 if form == "f32" else -10)
        exponent = np.zeros((2, n, n))
        exponent[r.integers(0, 2, (n, n)), np.arange(n)[:, None], np.arange(n)[None, :]] = -r.integers(0, apart, (n, n))
        if form == "f16":
            exponent = np.maximum(exponent, -24) + np.where(apart > 12, 10, 0)
        data = (significand * 2.0 ** exponent * r.choice([1, -1], (2, n, n))).astype(code).reshape(1, 2, n, n, 1)
        x, y = np.meshgrid(np.arange(n), np.arange(n))
        z = r.integers(1, 256, n * n) / 256
        yield (base("3d", form, 1, "clamp", "linear", False, size=(n, n, 2, 1), instruction=f"tex.3d.v4.f32.f32 {RESULT}, [%t, {names('3d')}];", words=3, results=4, kept=1), data,
               bits(np.stack([x.reshape(-1) + 0.5, y.reshape(-1) + 0.5, z + 0.5], 1).astype(np.float32)))


def mixed():
    """Everything drawn at random: what the rules were not found from."""
    r = np.random.default_rng(14)
    for _ in range(300):
        g = str(r.choice(list(DIMENSIONS)))
        w, h, d, layers = (int(n) for n in r.integers(1, (40, 16, 6, 4)))
        if g.endswith("cube"):
            h = w = min(w, 12)
        size = (w, h if DIMENSIONS[g] > 1 else 1, d if g == "3d" else 1, layers if g[0] == "a" else 1)
        form, channels = str(r.choice(list(CODES))), int(r.choice([1, 2, 4]))
        read = form in ("u8", "s8", "u16", "s16") and bool(r.integers(0, 4))
        result = kind(form, read)
        filter = "linear" if result == "f32" and r.random() < 0.8 else "point"
        normalized = bool(r.integers(0, 2))
        gather = g in ("2d", "a2d", "cube", "acube") and r.random() < 0.2
        if g.endswith("cube"):
            v = directions(60, r)
            ops = bits(v) if g == "cube" else np.concatenate([r.integers(0, layers + 2, (len(v), 1)).astype(np.uint32), bits(v)], 1)
        else:
            ops = operands(g, size, normalized, 120, r)
        data = texels(form, shape(size, g, channels), r)
        if form[0] == "f" and r.random() < 0.3:
            data = (data * 2.0 ** r.integers(-6, 6, data.shape)).astype(data.dtype)
        name = f"tld4.{'rgba'[r.integers(0, channels)]}.{g}" if gather else f"tex.{g}"
        yield (base(g, form, channels, [str(m) for m in r.choice(MODES, 3)], filter, normalized, read, size=size, instruction=f"{name}.v4.{result}.f32 {RESULT}, [%t, {names(g)}];",
                    words=ops.shape[1], results=4), data, ops)
