#!/usr/bin/env python3
"""Records what a real NVIDIA GPU answers to texture and surface instructions.

    record.py OUT.bin.gz SET...      needs libcuda.so.1 and numpy; the sets are the functions of cases.py

Each case is one instruction on one object with many operand vectors, one a lane. The file is gzip over cases, one after another:
a line of JSON that describes the case, then texel bytes, operand words and result words, little endian. README.md says more."""
import ctypes, gzip, json, sys
import numpy as np
import cases
from device import BYTES, Device, Image, extent


def kernel(case):
    """A kernel that loads the operand words of its lane, runs the case's instruction and stores the result words."""
    words, results = case["words"], case["results"]
    load = "\n".join(f"\tld.global.b32 %c{i}, [%in+{4 * i}];" for i in range(words))
    store = "\n".join(f"\tst.global.b32 [%out+{4 * i}], %d{i};" for i in range(results))
    return f""".version 5.0
.target sm_35
.address_size 64
.visible .entry probe(.param .u64 object, .param .u64 input, .param .u64 output, .param .u32 count)
{{
	.reg .b32 %c<32>, %d<4>, %i, %n, %b;
	.reg .b64 %t, %in, %out, %w, %wide<4>;
	.reg .pred %p;
	ld.param.u64 %t, [object];
	ld.param.u64 %in, [input];
	ld.param.u64 %out, [output];
	ld.param.u32 %n, [count];
	mov.u32 %i, %ctaid.x;
	mov.u32 %b, %ntid.x;
	mad.lo.u32 %i, %i, %b, 0;
	mov.u32 %b, %tid.x;
	add.u32 %i, %i, %b;
	setp.ge.u32 %p, %i, %n;
	@%p bra DONE;
	mul.wide.u32 %w, %i, {4 * max(1, words)};
	add.u64 %in, %in, %w;
	mul.wide.u32 %w, %i, {4 * max(1, results)};
	add.u64 %out, %out, %w;
{load}
	{case["instruction"]}
{store}
DONE:
	ret;
}}
"""


def run(device, case, texels, operands):
    """The result words of a case, or of one that stores the texels afterwards."""
    surface = any(word in case["instruction"] for word in ("suld", "sust", "sured", "suq"))
    function = device.kernel(kernel(case))
    image = Image(device, case, texels, surface)
    count = len(operands)
    source, target = device.upload(operands.tobytes()), device.allocate(4 * count * max(1, case["results"]))
    device.launch(function, count, image.handle, source, target, ctypes.c_uint32(count))
    if case["results"]:
        out = np.frombuffer(device.download(target, 4 * count * case["results"]), "<u4").reshape(count, -1)[:, :case["kept"]].tobytes()
    else:
        out = image.contents(len(texels))
    device.free(source)
    device.free(target)
    image.close()
    return out


def main():
    device, made, refused = Device(), 0, {}
    print("device", device.name)
    with gzip.GzipFile(sys.argv[1], "wb", 9, mtime=0) as out:
        for name in sys.argv[2:]:
            for case, texels, operands in getattr(cases, name)():
                texels, operands = np.ascontiguousarray(texels), np.ascontiguousarray(operands, "<u4")
                w, h, d = (max(1, n) for n in extent(case))
                assert texels.nbytes == w * h * d * BYTES[case["format"]] * case["channels"], case
                case = {"set": name, **case, "count": len(operands)}
                case.setdefault("kept", case["results"])
                try:
                    answer = run(device, case, texels.tobytes(), operands)
                except RuntimeError as error:
                    case["refused"], answer = str(error), b""
                    refused[case["refused"][:200]] = refused.get(case["refused"][:200], 0) + 1
                case["bytes"] = [texels.nbytes, operands.nbytes, len(answer)]
                out.write(json.dumps(case).encode() + b"\n" + texels.tobytes() + operands.tobytes() + answer)
                made += 1
    print(made, "cases;", "refused:", json.dumps(refused, indent=1))


main()
