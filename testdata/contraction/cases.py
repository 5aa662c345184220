"""The questions: PTX bodies that multiply and add without a rounding, in the ways in which programs do it.

`python3 cases.py FOLDER` writes one module a case, NAME.ptx, and the bytes that all of them read, inputs.bin: for each of 32 threads
the floats a to f, the words n and m, and the doubles A to F. A case sees them as %a to %f (doubles in the f64 cases), %n and %m, the predicates
%p (n is odd) and %q (m is odd), %one, %two and %pa, %pb (kernel parameters) and leaves its results in %x %y %z %w, which begin as 0."""
import os, struct, sys

HEAD = """.version 4.2
.target sm_35
.address_size 64
{functions}
.visible .entry probe(.param .u64 in, .param .u64 out, .param .{t} pa, .param .{t} pb)
{{
	.reg .{t} %a, %b, %c, %d, %e, %f, %x, %y, %z, %w, %t, %u, %v, %s, %r, %g, %h, %pa, %pb;
	.reg .b{bits} %bits;
	.reg .f32 %single;
	.reg .b32 %i, %j, %k, %n, %m, %here;
	.reg .b64 %in, %out, %at;
	.reg .pred %p, %q, %l, %o;
	.shared .align 16 .b8 board[1024];
	.local .align 16 .b8 stack[64];
	mov.u32 %i, %tid.x;
	ld.param.u64 %in, [in];
	mad.wide.u32 %in, %i, 80, %in;
	ld.param.u64 %out, [out];
	mad.wide.u32 %out, %i, 32, %out;
	mad.lo.u32 %here, %i, 16, 0;
	mov.u32 %j, board;
	add.u32 %here, %here, %j;
	ld.param.{t} %pa, [pa];
	ld.param.{t} %pb, [pb];
	ld.global.u32 %n, [%in+24];
	ld.global.u32 %m, [%in+28];
	and.b32 %j, %n, 1;
	setp.ne.u32 %p, %j, 0;
	and.b32 %j, %m, 1;
	setp.ne.u32 %q, %j, 0;
{loads}
	mov.{t} %x, {zero};
	mov.{t} %y, {zero};
	mov.{t} %z, {zero};
	mov.{t} %w, {zero};
{body}
	st.global.{t} [%out], %x;
	st.global.{t} [%out+{s1}], %y;
	st.global.{t} [%out+{s2}], %z;
	st.global.{t} [%out+{s3}], %w;
	ret;
}}
"""

NUMBERS = {"0": ("0f00000000", "0d0000000000000000"), "-0": ("0f80000000", "0d8000000000000000"), "1": ("0f3F800000", "0d3FF0000000000000"),
           "-1": ("0fBF800000", "0dBFF0000000000000"), "2": ("0f40000000", "0d4000000000000000"), "0.5": ("0f3F000000", "0d3FE0000000000000"),
           "1.1": ("0f3F8CCCCD", "0d3FF199999999999A"), "0.7": ("0f3F333333", "0d3FE6666666666666"), "3": ("0f40400000", "0d4008000000000000")}

cases = {}


def case(name, body, functions="", only=""):
    """body: statements divided by ;. `mul add sub fma neg abs mov ld st` without a type get the case's; #1.1 is a number of the type."""
    assert name not in cases, name
    cases[name] = (body, functions, only)


def text(t, body, functions):
    wide = t == "f64"
    def typed(line):
        words = line.split()
        k = 1 if words[0].startswith("@") else 0
        words[k] = words[k].replace(".T.", f".{t}.")
        if words[k].endswith(".T"):
            words[k] = words[k][:-1] + t
        elif words[k].endswith(".B"):
            words[k] = words[k][:-1] + ("b64" if wide else "b32")
        elif words[k].split(".")[0] in ("mul", "add", "sub", "fma", "neg", "abs", "min", "max", "selp") and words[k].split(".")[-1] not in ("u32", "s32", "u64", "b32", "f32", "f64"):
            words[k] += "." + t
        return " ".join(words)
    def all_lines(source):
        out = []
        for line in source.split(";"):
            line = line.strip()
            if not line:
                continue
            while ":" in line.split()[0]:
                label, line = line.split(":", 1)
                out.append(label + ":")
                line = line.strip()
                if not line:
                    break
            if not line:
                continue
            if line in "{}" or line.startswith((".", "(", "{")):
                out.append("\t" + line + ("" if line in "{}" or line.endswith("}") else ";"))
                continue
            line = typed(line)
            for number, spellings in sorted(NUMBERS.items(), key=lambda kv: -len(kv[0])):
                line = line.replace("#" + number, spellings[wide])
            out.append("\t" + line + ";")
        return "\n".join(out)
    size = 8 if wide else 4
    base = 32 if wide else 0
    loads = "\n".join(f"\tld.global.{t} %{r}, [%in+{base + size * k}];" for k, r in enumerate("abcdef"))
    return HEAD.format(t=t, bits=8 * size, functions=functions.replace("TT", t), loads=loads, zero=NUMBERS["0"][wide], body=all_lines(body), s1=size, s2=2 * size, s3=3 * size)


P = "mul %t, %a, %b; "
Q = "mul %u, %d, %e; "
# --- one product, one sum
case("add", P + "add %x, %t, %c")
case("add-second", P + "add %x, %c, %t")
case("sub", P + "sub %x, %t, %c")
case("sub-second", P + "sub %x, %c, %t")
case("neg-product", P + "neg %u, %t; add %x, %u, %c")
case("neg-product-sub", P + "neg %u, %t; sub %x, %u, %c")
case("neg-addend", P + "neg %u, %c; add %x, %t, %u")
case("neg-addend-sub", P + "neg %u, %c; sub %x, %t, %u")
case("neg-factor", "neg %u, %a; mul %t, %u, %b; add %x, %t, %c")
case("neg-result", P + "add %u, %t, %c; neg %x, %u")
case("neg-neg", P + "neg %u, %t; neg %v, %u; add %x, %v, %c")
case("abs-product", P + "abs %u, %t; add %x, %u, %c")
case("abs-addend", P + "abs %u, %c; add %x, %t, %u")
case("abs-factor", "abs %u, %a; mul %t, %u, %b; add %x, %t, %c")
case("abs-result", P + "add %u, %t, %c; abs %x, %u")
case("square", "mul %t, %a, %a; add %x, %t, %c")
case("double", P + "add %x, %t, %t")
case("nothing", P + "sub %x, %t, %t")
case("xor-sign", P + "mov.b32 %j, %t; xor.b32 %j, %j, 0x80000000; mov.b32 %u, %j; add %x, %u, %c", only="f32")
# --- roundings, ftz, sat
for m, a in [(".rn", ""), ("", ".rn"), (".rn", ".rn"), (".rz", ""), ("", ".rz"), (".rz", ".rz"), (".rm", ".rm"), (".rp", ""), ("", ".rm")]:
    case(f"mul{m}-add{a}", f"mul{m} %t, %a, %b; add{a} %x, %t, %c")
    if m != a:
        case(f"mul{m}-sub{a}", f"mul{m} %t, %a, %b; sub{a} %x, %t, %c")
MODS = ["", ".ftz", ".sat", ".ftz.sat"]
for m in MODS:
    for a in MODS:
        if m or a:
            case(f"mods-mul{m}-add{a}", f"mul{m} %t, %a, %b; add{a} %x, %t, %c", only="f32")
            case(f"mods-mul{m}-sub{a}", f"mul{m} %t, %a, %b; sub{a} %x, %c, %t", only="f32")
case("neg-ftz", "mul.ftz %t, %a, %b; neg.ftz %u, %t; add.ftz %x, %u, %c", only="f32")
case("neg-plain-between-ftz", "mul.ftz %t, %a, %b; neg %u, %t; add.ftz %x, %u, %c", only="f32")
case("neg-ftz-between", P + "neg.ftz %u, %t; add %x, %u, %c", only="f32")
case("sat-after", P + "add %u, %t, %c; cvt.sat.f32.f32 %x, %u", only="f32")
case("sat-between", P + "cvt.sat.f32.f32 %u, %t; add %x, %u, %c", only="f32")
case("two-ftz", "mul.ftz %t, %a, %b; mul %u, %d, %e; add.ftz %x, %t, %u; add %y, %t, %u", only="f32")
# --- numbers and parameters
for n in ("1.1", "2", "0.5", "1", "-1", "0", "3"):
    case(f"factor-{n}", f"mul %t, %a, #{n}; add %x, %t, %c")
    case(f"factor-{n}-twice", f"mul %t, %a, #{n}; add %x, %t, %c; mov.T %y, %t")
for n in ("1.1", "1", "0", "-0"):
    case(f"addend-{n}", P + f"add %x, %t, #{n}")
    case(f"subtrahend-{n}", P + f"sub %x, %t, #{n}")
    case(f"minuend-{n}", f"{P} sub %x, #{n}, %t")
case("factor-addend", "mul %t, %a, #1.1; add %x, %t, #0.7")
case("constants", "mul %t, #1.1, #0.7; add %x, %t, %c")
case("constants-all", "mul %t, #1.1, #0.7; add %x, %t, #0.7")
case("ftz-factor-2", "mul.ftz %t, %a, #2; add.ftz %x, %t, %c", only="f32")
case("parameter-factor", "mul %t, %a, %pa; add %x, %t, %c")
case("parameter-addend", P + "add %x, %t, %pa")
case("parameter-both", "mul %t, %a, %pa; add %x, %t, %pb")
case("parameter-product", "mul %t, %pb, %pa; add %x, %t, %c")
case("parameter-product-uses", "mul %t, %pb, %pa; add %x, %t, %c; mov.T %y, %t")
# --- several uses
case("use-store", P + "add %x, %t, %c; mov.T %y, %t")
case("use-store-first", P + "st.global.T [%out+24], %t; add %x, %t, %c", only="f32")
case("use-2", P + "add %x, %t, %c; add %y, %t, %d")
case("use-2-sub", P + "add %x, %t, %c; sub %y, %d, %t")
case("use-2-store", P + "add %x, %t, %c; add %y, %t, %d; mov.T %z, %t")
case("use-3", P + "add %x, %t, %c; add %y, %t, %d; add %z, %t, %e")
case("use-3-store", P + "add %x, %t, %c; add %y, %t, %d; add %z, %t, %e; mov.T %w, %t")
case("use-4", P + "add %x, %t, %c; add %y, %t, %d; add %z, %t, %e; add %w, %t, %f")
case("use-8", P + "add %x, %t, %c; add %y, %t, %d; add %z, %t, %e; add %w, %t, %f; add %u, %t, %a; add %v, %t, %b; sub %s, %t, %c; sub %r, %d, %t; " +
     "max %x, %x, %u; max %y, %y, %v; max %z, %z, %s; max %w, %w, %r")
case("use-mul", P + "add %x, %t, %c; mul %y, %t, %d")
case("use-mul-add", P + "add %x, %t, %c; mul %u, %t, %d; add %y, %u, %e")
case("use-min", P + "add %x, %t, %c; min %y, %t, %d")
case("use-setp", P + "add %x, %t, %c; setp.lt.T %l, %t, %d; selp %y, %e, %f, %l")
case("use-selp", P + "add %x, %t, %c; selp %y, %t, %d, %p")
case("use-fma-factor", P + "add %x, %t, %c; fma.rn %y, %t, %d, %e")
case("use-fma-addend", P + "add %x, %t, %c; fma.rn %y, %d, %e, %t")
case("use-add.rn", P + "add %x, %t, %c; add.rn %y, %t, %d")
case("use-add.rz", P + "add %x, %t, %c; add.rz %y, %t, %d")
case("use-rcp", P + "add %x, %t, %c; rcp.rn.T %y, %t")
case("use-neg-add", P + "add %x, %t, %c; neg %u, %t; add %y, %u, %d")
case("use-neg-store", P + "add %x, %t, %c; neg %y, %t")
case("use-abs", P + "add %x, %t, %c; abs %y, %t")
case("use-abs-add", P + "add %x, %t, %c; abs %u, %t; add %y, %u, %d")
case("neg-then-both", P + "neg %u, %t; add %x, %u, %c; add %y, %u, %d")
case("neg-stored", P + "neg %u, %t; add %x, %u, %c; mov.T %y, %u")
case("use-cvt", P + "add %x, %t, %c; cvt.rzi.s32.T %j, %t; cvt.rn.T.s32 %y, %j", only="none")
case("use-ftz-mixed", "mul.ftz %t, %a, %b; add.ftz %x, %t, %c; add %y, %t, %d", only="f32")
case("use-double", P + "add %x, %t, %t; add %y, %t, %c")
case("plus-minus", P + "add %x, %t, %c; sub %y, %t, %c; mul %z, %x, %y")
# --- a product on both sides
for op in ("add", "sub"):
    case(f"both-{op}-tu", P + Q + f"{op} %x, %t, %u")
    case(f"both-{op}-ut", P + Q + f"{op} %x, %u, %t")
    case(f"both-{op}-late-tu", Q + P + f"{op} %x, %t, %u")
    case(f"both-{op}-late-ut", Q + P + f"{op} %x, %u, %t")
    case(f"both-{op}-t-stored", P + Q + f"{op} %x, %t, %u; mov.T %y, %t")
    case(f"both-{op}-u-stored", P + Q + f"{op} %x, %t, %u; mov.T %y, %u")
    case(f"both-{op}-stored", P + Q + f"{op} %x, %t, %u; mov.T %y, %u; mov.T %z, %t")
    case(f"both-{op}-t-rn", "mul.rn %t, %a, %b; " + Q + f"{op} %x, %t, %u")
    case(f"both-{op}-u-rn", P + "mul.rn %u, %d, %e; " + f"{op} %x, %t, %u")
    case(f"both-{op}-t-used", P + Q + f"{op} %x, %t, %u; add %y, %t, %c")
    case(f"both-{op}-u-used", P + Q + f"{op} %x, %t, %u; add %y, %u, %c")
    case(f"both-{op}-used", P + Q + f"{op} %x, %t, %u; add %y, %u, %c; add %z, %t, %f")
    case(f"both-{op}-used-early", P + Q + f"add %y, %u, %c; add %z, %t, %f; {op} %x, %t, %u")
    case(f"both-{op}-t-used-early", P + Q + f"add %z, %t, %f; {op} %x, %t, %u")
    case(f"both-{op}-u-used-early", P + Q + f"add %z, %u, %f; {op} %x, %t, %u")
    case(f"both-{op}-same", f"mul %t, %a, %b; mul %u, %a, %b; {op} %x, %t, %u")
    case(f"both-{op}-common", f"mul %t, %a, %b; mul %u, %a, %c; {op} %x, %t, %u")
    case(f"both-{op}-squares", f"mul %t, %a, %a; mul %u, %b, %b; {op} %x, %t, %u")
    case(f"both-{op}-neg", P + Q + f"neg %v, %u; {op} %x, %t, %v")
    case(f"both-{op}-number-t", f"mul %t, %a, #1.1; mul %u, %d, %e; {op} %x, %t, %u")
    case(f"both-{op}-number-u", f"mul %t, %a, %b; mul %u, %d, #1.1; {op} %x, %t, %u")
    case(f"both-{op}-parameter-t", f"mul %t, %a, %pa; mul %u, %d, %e; {op} %x, %t, %u")
    case(f"both-{op}-chain", P + f"mul %u, %t, %c; {op} %x, %t, %u")
    case(f"both-{op}-chain-ut", P + f"mul %u, %t, %c; {op} %x, %u, %t")
case("both-distant", P + "add %v, %c, %d; mul %v, %v, %f; add %v, %v, %c; " + Q + "add %x, %t, %u; mov.T %y, %v")
case("both-loaded-late", P + "ld.global.T %g, [%in+0]; mul %u, %g, %e; add %x, %t, %u", only="f32")
case("both-loaded-late-ut", P + "ld.global.T %g, [%in+0]; mul %u, %g, %e; add %x, %u, %t", only="f32")
case("both-block", P + "@%p bra L1; mul %u, %d, %e; add %x, %t, %u; L1:")
case("both-block-ut", P + "@%p bra L1; mul %u, %d, %e; add %x, %u, %t; L1:")
case("sum-3", P + Q + "mul %v, %c, %f; add %s, %t, %u; add %x, %s, %v")
case("sum-3-right", P + Q + "mul %v, %c, %f; add %s, %u, %v; add %x, %t, %s")
case("sum-3-sub", P + Q + "mul %v, %c, %f; sub %s, %t, %u; sub %x, %s, %v")
case("sum-4", P + Q + "mul %v, %c, %f; mul %g, %a, %d; add %s, %t, %u; add %r, %v, %g; add %x, %s, %r")
case("complex", "mul %t, %a, %c; mul %u, %b, %d; sub %x, %t, %u; mul %v, %a, %d; mul %s, %b, %c; add %y, %v, %s")
case("complex-add", "mul %t, %a, %c; mul %u, %b, %d; sub %x, %t, %u; mul %v, %a, %d; mul %s, %b, %c; add %y, %v, %s; add %z, %x, %e; add %w, %y, %f")
case("cross", "mul %t, %b, %f; mul %u, %c, %e; sub %x, %t, %u; mul %v, %c, %d; mul %s, %a, %f; sub %y, %v, %s; mul %r, %a, %e; mul %g, %b, %d; sub %z, %r, %g")
case("triple-shared", "mul %t, %a, %b; mul %u, %c, %d; mul %v, %e, %f; add %x, %t, %u; add %y, %u, %v; add %z, %v, %t")
case("mandelbrot", "mul %t, %a, %a; mul %u, %b, %b; add %v, %t, %u; sub %s, %t, %u; add %x, %s, %c; mov.T %y, %v; mul %r, %a, %b; add %r, %r, %r; add %z, %r, %d")
# --- chains
case("chain", P + "add %x, %t, %c; mul %u, %x, %d; add %y, %u, %e")
case("horner", "mul %t, %a, %b; add %t, %t, %c; mul %t, %t, %b; add %t, %t, %d; mul %t, %t, %b; add %t, %t, %e; mul %t, %t, %b; add %x, %t, %f")
case("dot", "mul %t, %a, %b; mul %u, %c, %d; add %t, %t, %u; mul %u, %e, %f; add %t, %t, %u; mul %u, %a, %f; add %x, %t, %u")
case("square-square", P + "mul %u, %t, %t; add %x, %u, %c")
case("product-3", P + "mul %u, %t, %c; add %x, %u, %d")
case("fma-then-add", "fma.rn %t, %a, %b, %c; add %x, %t, %d")
case("fma-addend-product", P + "fma.rn %x, %c, %d, %t")
case("fma-addend-product-neg", P + "neg %u, %t; fma.rn %x, %c, %d, %u")
case("fma-product-factor", P + "fma.rn %u, %t, %c, %d; add %x, %u, %e")
case("fma-zero", "fma.rn %t, %a, %b, #0; add %x, %t, %c")
case("fma-minus-zero", "fma.rn %t, %a, %b, #-0; add %x, %t, %c")
case("fma-one", P + "fma.rn %x, %t, #1, %c")
case("fma-minus-one", P + "fma.rn %x, %t, #-1, %c")
case("fma-two", P + "fma.rn %x, %t, #2, %c")
case("mul-one-fma", P + "mul %u, %t, #1; add %x, %u, %c")
case("add-zero-between", P + "add %u, %t, #0; add %x, %u, %c")
case("add-minus-zero-between", P + "add %u, %t, #-0; add %x, %u, %c")
case("add.rn-zero-between", P + "add.rn %u, %t, #0; add %x, %u, %c")
case("mul.rn-one-between", P + "mul.rn %u, %t, #1; add %x, %u, %c")
case("mul.rn-minus-one-between", P + "mul.rn %u, %t, #-1; add %x, %u, %c")
case("sum-times-number", "add %t, %a, %b; mul %x, %t, #1.1")
case("scale-chain", "mul %t, %a, #1.1; mul %u, %t, #0.7; add %x, %u, %c")
case("scale-chain-2", "mul %t, %a, #2; mul %u, %t, %b; add %x, %u, %c")
case("scale-chain-2-late", P + "mul %u, %t, #2; add %x, %u, %c")
case("mad", "mad.rn.T %t, %a, %b, %c; add %x, %t, %d")
case("mad-addend", P + "mad.rn.T %x, %c, %d, %t")
# --- what other instructions compute inside
case("div.rn", "div.rn.T %t, %a, %b; add %x, %t, %c")
for op in ("div.approx", "div.full", "div.approx.ftz", "div.full.ftz"):
    case(op, f"{op}.f32 %t, %a, %b; add %x, %t, %c", only="f32")
    case(op + "-sub", f"{op}.f32 %t, %a, %b; sub %x, %c, %t", only="f32")
for op in ("sqrt.approx", "sqrt.approx.ftz", "ex2.approx", "ex2.approx.ftz", "lg2.approx", "lg2.approx.ftz", "sin.approx", "cos.approx", "rsqrt.approx", "rcp.approx", "sqrt.rn", "rcp.rn"):
    case("result-" + op, f"abs %u, %a; {op}.f32 %t, %u; add %x, %t, %c", only="f32")
case("product-ex2", P + "ex2.approx.f32 %x, %t", only="f32")
case("product-sin", P + "sin.approx.f32 %x, %t", only="f32")
case("cvt-between", P + "mov.b32 %single, 0; cvt.rn.f32.f64 %single, %t; cvt.f64.f32 %u, %single; add %x, %u, %c", only="f64")
case("cvt-up", P + "{; .reg .f64 %k1, %k2; cvt.f64.f32 %k1, %t; cvt.f64.f32 %k2, %c; add.f64 %k1, %k1, %k2; cvt.rn.f32.f64 %x, %k1; }", only="f32")
# --- registers written again
case("factor-overwritten", P + "mov.T %a, %c; add %x, %t, %a")
case("factor-changed", P + "add %a, %a, %d; add %x, %t, %c; mov.T %y, %a")
case("in-place", "mul %t, %a, %b; add %t, %t, %c; mov.T %x, %t")
case("in-place-factor", "mul %a, %a, %b; add %x, %a, %c")
case("in-place-all", "mul %a, %a, %b; add %a, %a, %c; mov.T %x, %a")
case("register-again", P + "add %x, %t, %c; mul %t, %d, %e; add %y, %t, %f")
case("accumulate", "mul %t, %a, %b; add %x, %x, %t; mul %t, %c, %d; add %x, %x, %t; mul %t, %e, %f; add %x, %x, %t")
# --- between
case("move-between", P + "mov.T %u, %t; add %x, %u, %c")
case("bits-between", P + "mov.B %bits, %t; mov.B %u, %bits; add %x, %u, %c")
case("load-between", P + "ld.global.v2.T {%g, %h}, [%in+32]; add %x, %t, %c; add %y, %g, %h")
case("vector-loads", "ld.global.v2.T {%a, %b}, [%in+32]; mul %t, %a, %b; ld.global.v2.T {%g, %h}, [%in+48]; add %x, %t, %g; mul %u, %g, %h; add %y, %u, %a")
case("vector-store", P + Q + "add %v, %t, %c; add %s, %u, %f; st.global.v2.T [%out], {%v, %s}; mov.T %x, %v; mov.T %y, %s")
case("barrier-between", P + "bar.sync 0; add %x, %t, %c")
case("store-between", P + "st.global.T [%out+16], %c; add %x, %t, %c", only="f32")
case("fence-between", P + "membar.gl; add %x, %t, %c")
case("fence-block-between", P + "membar.cta; add %x, %t, %c")
case("fence-system-between", P + "membar.sys; add %x, %t, %c")
case("division-between", P + "div.rn.T %y, %d, %e; add %x, %t, %c")
case("division-added", P + "div.rn.T %y, %d, %e; add %x, %t, %y")
case("division-of-product-between", P + "div.rn.T %y, %d, %e; mul %u, %y, %f; add %x, %u, %t")
case("root-between", P + "abs %u, %d; sqrt.rn.T %y, %u; add %x, %t, %c")
case("integer-division-between", P + "div.u32 %j, %n, %m; add %x, %t, %c; cvt.rn.T.u32 %y, %j")
case("wide-division-between", P + "{; .reg .b64 %k1, %k2; cvt.u64.u32 %k1, %n; or.b64 %k1, %k1, %in; cvt.u64.u32 %k2, %m; or.b64 %k2, %k2, 1; div.u64 %k1, %k1, %k2; cvt.u32.u64 %j, %k1; and.b32 %j, %j, 0; }; add %x, %t, %c; cvt.rn.T.u32 %y, %j")
case("barrier-vote-between", P + "bar.red.popc.u32 %j, 0, %p; add %x, %t, %c")
case("div.approx.ftz-add.ftz", "div.approx.ftz.f32 %t, %a, %b; add.ftz %x, %t, %c", only="f32")
case("div.full.ftz-add.ftz", "div.full.ftz.f32 %t, %a, %b; add.ftz %x, %t, %c", only="f32")
case("div.approx-add.rn", "div.approx.f32 %t, %a, %b; add.rn %x, %t, %c", only="f32")
case("div.approx-stored", "div.approx.f32 %t, %a, %b; add %x, %t, %c; mov.T %y, %t", only="f32")
case("div.approx-both", "div.approx.f32 %t, %a, %b; div.approx.f32 %u, %c, %d; add %x, %t, %u", only="f32")
case("compared-with-itself", P + "setp.lt.T %l, %t, %t; add %x, %t, %c; selp %y, %d, %e, %l")
case("volatile-between", P + "ld.volatile.global.T %g, [%in+32]; add %x, %t, %c; add %y, %g, %c")
case("atomic-between", P + "atom.global.add.u32 %j, [%out+28], 0; add %x, %t, %c", only="f32")
case("local-between", P + "st.local.T [stack], %t; ld.local.T %u, [stack]; add %x, %u, %c")
case("shared-between", P + "st.shared.T [%here], %t; ld.shared.T %u, [%here]; add %x, %u, %c")
case("shuffle-between", P + "mov.b32 %j, %t; shfl.bfly.b32 %j, %j, 0, 31; mov.b32 %u, %j; add %x, %u, %c", only="none")
case("clock-between", P + "mov.u32 %j, %clock; add %x, %t, %c; and.b32 %j, %j, 0; cvt.rn.T.u32 %y, %j")
# --- across blocks
case("then", P + "@%p bra L1; add %x, %t, %c; L1:")
case("then-store", P + "@%p bra L1; st.global.T [%out+16], %d; add %x, %t, %c; L1:", only="f32")
case("then-long", P + "@%p bra L1; bar.arrive 1, 64; add %x, %t, %c; div.rn.T %y, %x, %d; sqrt.rn.T %z, %y; L1:", only="none")
case("then-division", P + "@%p bra L1; add %x, %t, %c; div.rn.T %y, %x, %d; div.rn.T %z, %y, %e; L1:")
case("after", P + "@%p bra L1; div.rn.T %y, %c, %d; L1: add %x, %t, %c")
case("then-and-after", P + "@%p bra L1; div.rn.T %y, %c, %d; add %y, %y, %t; L1: add %x, %t, %c")
case("then-and-else", P + "@%p bra L1; div.rn.T %y, %c, %d; add %x, %t, %c; bra L2; L1: div.rn.T %y, %d, %e; add %x, %t, %d; L2:")
case("then-and-else-short", P + "@%p bra L1; add %x, %t, %c; bra L2; L1: add %x, %t, %d; L2:")
case("then-add-else-store", P + "@%p bra L1; add %x, %t, %c; div.rn.T %y, %c, %d; bra L2; L1: div.rn.T %y, %d, %e; mov.T %x, %t; L2:")
case("then-store-else-add", P + "@%p bra L1; mov.T %x, %t; div.rn.T %y, %c, %d; bra L2; L1: div.rn.T %y, %d, %e; add %x, %t, %c; L2:")
case("product-in-then", "mov.T %t, %d; @%p bra L1; mul %t, %a, %b; L1: add %x, %t, %c")
case("product-in-then-long", "mov.T %t, %d; @%p bra L1; mul %t, %a, %b; div.rn.T %y, %c, %d; L1: add %x, %t, %c")
case("product-in-both", "@%p bra L1; mul %t, %a, %b; bra L2; L1: mul %t, %d, %e; L2: add %x, %t, %c")
case("product-in-both-long", "@%p bra L1; div.rn.T %y, %c, %d; mul %t, %a, %b; bra L2; L1: div.rn.T %y, %d, %c; mul %t, %d, %e; L2: add %x, %t, %c")
case("product-same-in-both", "@%p bra L1; mul %t, %a, %b; bra L2; L1: mul %t, %a, %b; L2: add %x, %t, %c")
case("product-same-in-both-long", "@%p bra L1; div.rn.T %y, %c, %d; mul %t, %a, %b; bra L2; L1: div.rn.T %y, %d, %c; mul %t, %a, %b; L2: add %x, %t, %c")
case("addend-chosen", P + "mov.T %v, %d; @%p bra L1; div.rn.T %v, %c, %d; L1: add %x, %t, %v")
case("uniform-then", P + "setp.gt.u32 %l, %ntid.x, 99; @%l bra L1; add %x, %t, %c; div.rn.T %y, %x, %d; L1:", only="none")
LOOP = "and.b32 %k, %n, 7; L1: "
END = "; sub.s32 %k, %k, 1; setp.ge.s32 %l, %k, 0; @%l bra L1"
FIXED = "mov.u32 %k, 5; L1: "
for name, head in (("loop", LOOP), ("fixed", FIXED)):
    case(f"{name}-accumulate", head + "mul %t, %a, %b; add %x, %x, %t; add.rn %a, %a, %c" + END)
    case(f"{name}-accumulate-sub", head + "mul %t, %a, %b; sub %x, %x, %t; add.rn %a, %a, %c" + END)
    case(f"{name}-horner", "mov.T %x, %d; " + head + "mul %t, %x, %b; add %x, %t, %c" + END)
    case(f"{name}-invariant", P + head + "add %x, %x, %t; mul.rn %x, %x, %c" + END)
    case(f"{name}-invariant-inside", head + P + "add %x, %x, %t; mul.rn %x, %x, %c" + END)
    case(f"{name}-invariant-both", P + head + "add %x, %x, %t; mul.rn %x, %x, %c" + END + "; add %y, %t, %d")
    case(f"{name}-after", head + "mul %t, %a, %b; add.rn %a, %a, %c" + END + "; add %x, %t, %c")
    case(f"{name}-after-both", head + "mul %t, %a, %b; add.rn %a, %a, %c; add %y, %y, %t" + END + "; add %x, %t, %c")
    case(f"{name}-next-turn", P + head + "add %x, %x, %t; add.rn %a, %a, %c; mul %t, %a, %b" + END)
    case(f"{name}-next-turn-only", P + head + "add %x, %t, %x; mul %t, %x, %b" + END)
    case(f"{name}-carried-factor", "mov.T %x, %d; " + head + "mul %t, %x, %b; add.rn %x, %x, %c; add %y, %t, %x" + END)
    case(f"{name}-square", "mov.T %x, %d; " + head + "mul %x, %x, %x; add %x, %x, %c" + END)
    case(f"{name}-mandelbrot", "mov.T %x, %c; mov.T %y, %d; " + head + "mul %t, %x, %x; mul %u, %y, %y; sub %v, %t, %u; add %v, %v, %c; mul %s, %x, %y; add %s, %s, %s; add %y, %s, %d; mov.T %x, %v; add %r, %t, %u; "
         "setp.gt.T %o, %r, #3; @%o bra L9" + END + "; L9: mov.T %z, %r")
case("loop-inner", "and.b32 %k, %n, 3; L1: mul %t, %a, %b; add.rn %a, %a, %d; and.b32 %j, %m, 3; L2: add %x, %x, %t; mul.rn %x, %x, %c; sub.s32 %j, %j, 1; setp.ge.s32 %o, %j, 0; @%o bra L2" + END)
case("loop-dot-4", LOOP + "mul %t, %a, %b; add %x, %x, %t; mul %t, %c, %d; add %x, %x, %t; mul %t, %e, %f; add %x, %x, %t; add.rn %a, %a, %c" + END)
case("loop-dot-right", LOOP + "mul %t, %a, %b; add %x, %t, %x; mul %t, %c, %d; add %x, %t, %x; add.rn %a, %a, %c" + END)
case("loop-exit", LOOP + "mul %t, %a, %b; setp.gt.T %o, %t, %d; @%o bra L3; add %x, %x, %t; add.rn %a, %a, %c" + END + "; L3: add %y, %t, %e")
# --- predicates
case("guarded-add", P + "mov.T %x, %d; @%p add %x, %t, %c")
case("guarded-add-not", P + "mov.T %x, %d; @!%p add %x, %t, %c")
case("guarded-mul", "mov.T %t, %d; @%p mul %t, %a, %b; add %x, %t, %c")
case("guarded-mul-undefined", "@%p mul %t, %a, %b; @%p add %x, %t, %c")
case("guarded-both", "mov.T %x, %d; mov.T %t, %e; @%p mul %t, %a, %b; @%p add %x, %t, %c")
case("guarded-both-used", "mov.T %x, %d; mov.T %t, %e; @%p mul %t, %a, %b; @%p add %x, %t, %c; mov.T %y, %t")
case("guarded-other", "mov.T %x, %d; mov.T %t, %e; @%p mul %t, %a, %b; @!%p add %x, %t, %c")
case("guarded-q", "mov.T %x, %d; mov.T %t, %e; @%p mul %t, %a, %b; @%q add %x, %t, %c")
case("guarded-two-products", "@%p mul %t, %a, %b; @!%p mul %t, %d, %e; add %x, %t, %c")
case("guarded-two-adds", P + "@%p add %x, %t, %c; @!%p add %x, %t, %d")
case("guarded-add-store", P + "mov.T %x, %d; @%p add %x, %t, %c; mov.T %y, %t")
case("guarded-move", P + "@%p mov.T %t, %d; add %x, %t, %c")
case("guarded-move-after", P + "add %x, %t, %c; @%p mov.T %t, %d; mov.T %y, %t")
case("selp-between", P + "selp %u, %t, %d, %p; add %x, %u, %c")
case("selp-products", P + Q + "selp %v, %t, %u, %p; add %x, %v, %c")
case("selp-after", P + "add %u, %t, %c; selp %x, %u, %d, %p")
case("guarded-accumulate", "mov.T %x, %d; @%p mul %t, %a, %b; @%p add %x, %x, %t; @%q mul %u, %c, %e; @%q add %x, %x, %u")
case("guarded-in-place", "@%p mul %a, %a, %b; @%p add %a, %a, %c; mov.T %x, %a")
case("guarded-sub", P + "mov.T %x, %d; @%p sub %x, %c, %t")
case("guarded-bra-add", "mov.T %x, %d; @!%p bra L1; mul %t, %a, %b; add %x, %t, %c; L1:")
# --- the same product twice
case("common-2", "mul %t, %a, %b; mul %u, %a, %b; add %x, %t, %c; add %y, %u, %d")
case("common-store", "mul %t, %a, %b; mul %u, %a, %b; add %x, %t, %c; mov.T %y, %u")
case("common-swapped", "mul %t, %a, %b; mul %u, %b, %a; add %x, %t, %c; mov.T %y, %u")
case("common-rn", "mul %t, %a, %b; mul.rn %u, %a, %b; add %x, %t, %c; mov.T %y, %u")
case("common-rn-first", "mul.rn %u, %a, %b; mul %t, %a, %b; add %x, %t, %c; mov.T %y, %u")
case("common-rn-add", "mul %t, %a, %b; mul.rn %u, %a, %b; add %x, %t, %c; add %y, %u, %d")
case("common-sum", "mul %t, %a, %b; add %x, %t, %c; mul %u, %a, %b; add %y, %u, %c; mov.T %z, %u")
case("common-fma", "mul %t, %a, %b; add %x, %t, %c; fma.rn %y, %a, %b, %c")
case("common-neg", "mul %t, %a, %b; neg %g, %a; mul %u, %g, %b; add %x, %t, %c; add %y, %u, %d")
# --- calls
F = ".func (.param .TT r) f(.param .TT a, .param .TT b)\n{\n\t.reg .TT %a, %b, %c;\n\tld.param.TT %a, [a];\n\tld.param.TT %b, [b];\n\tOP.TT %c, %a, %b;\n\tst.param.TT [r], %c;\n\tret;\n}\n"
CALL = "{; .param .T ga; .param .T gb; .param .T back; st.param.T [ga], A; st.param.T [gb], B; call (back), f, (ga, gb); ld.param.T R, [back]; }; "


def call(a, b, r):
    return CALL.replace("A;", a + ";").replace("B;", b + ";").replace("R,", r + ",").replace(".param .T ", ".param .TT ")


case("call-product", call("%a", "%b", "%t") + "add %x, %t, %c", F.replace("OP", "mul"))
case("call-sum", P + call("%t", "%c", "%x"), F.replace("OP", "add"))
case("call-between", P + call("%d", "%e", "%y") + "add %x, %t, %c", F.replace("OP", "max"))
case("call-inside", call("%a", "%b", "%x"), F.replace("\tOP.TT %c, %a, %b;\n", "\tmul.TT %c, %a, %b;\n\tadd.TT %c, %c, %a;\n"))
case("inline-product", call("%a", "%b", "%t") + "add %x, %t, %c; mov.T %y, %t", F.replace("OP", "mul"))

# --- of two products that with fewer uses, and what is no product at all
for name, uses in (("3-2", "add %y, %t, %c; add %z, %t, %f; add %w, %u, %c"), ("2-3", "add %y, %u, %c; add %z, %u, %f; add %w, %t, %c"),
                   ("3-2-late", "sub %y, %t, %c; sub %z, %f, %t; sub %w, %c, %u")):
    case(f"uses-{name}", P + Q + "add %x, %t, %u; " + uses)
    case(f"uses-{name}-sub", P + Q + "sub %x, %u, %t; " + uses)
for name, first in (("minus-one", "mul %t, %a, #-1; "), ("one", "mul %t, %a, #1; "), ("two", "mul %t, %a, #2; "), ("doubled", "add %t, %a, %a; ")):
    case(f"{name}-and-product", first + Q + "add %x, %t, %u")
    case(f"product-and-{name}", first + Q + "add %x, %u, %t")
for op in ("rcp.approx", "rcp.approx.ftz", "sqrt.approx", "rsqrt.approx"):
    case(f"{op}-and-product", f"abs %t, %a; {op}.f32 %t, %t; {Q} add %x, %t, %u", only="f32")
    case(f"product-and-{op}", f"abs %t, %a; {op}.f32 %t, %t; {Q} add %x, %u, %t", only="f32")
for op in ("div.approx", "div.full", "div.approx.ftz", "div.full.ftz"):
    m = ".ftz" if op.endswith("ftz") else ""
    case(f"{op}-and-product", f"{op}.f32 %t, %a, %b; mul{m} %u, %d, %e; add{m} %x, %t, %u", only="f32")
    case(f"product-and-{op}", f"{op}.f32 %t, %a, %b; mul{m} %u, %d, %e; sub{m} %x, %u, %t", only="f32")
    case(f"{op}-twice", f"{op}.f32 %t, %a, %b; {op}.f32 %u, %a, %b; add{m} %x, %t, %u; add{m} %y, %t, %c", only="f32")
    case(f"{op}-plain", f"{op}.f32 %t, %a, %b; add %x, %t, %c; sub %y, %d, %t", only="f32")
# --- what nothing reads
case("unread-division-between", P + "div.rn.T %s, %d, %e; add %x, %t, %c")
case("unread-division-of-product", P + "div.rn.T %s, %t, %e; add %x, %t, %c")
case("unread-root-between", P + "abs %u, %d; sqrt.rn.T %s, %u; add %x, %t, %c")
case("unread-reciprocal-between", P + "rcp.rn.T %s, %d; add %x, %t, %c")
case("unread-division-in-then", P + "@%p bra L1; div.rn.T %s, %d, %e; L1: add %x, %t, %c")
case("unread-sum-in-then", P + "@%p bra L1; add.rn %s, %d, %e; L1: add %x, %t, %c")
case("unread-product-of-sum", P + "add %x, %t, %c; mul %s, %t, %d; mul %r, %s, %e")
case("unread-overwritten", P + "@%p mul %s, %t, %d; @%p neg %s, %c; mov.T %s, %e; add %x, %t, %c; mov.T %y, %s")
case("branches-around-nothing", P + "@%p bra L1; @%q bra L2; L2: L1: add %x, %t, %c")
case("branches-around-nothing-2", P + "@%p bra L1; @%q bra L2; bra L3; L2: bra L3; L1: @%q bra L3; L3: add %x, %t, %c")
case("branches-around-a-store", P + "@%p bra L1; @%q bra L2; st.global.T [%out+16], %d; L2: L1: add %x, %t, %c", only="f32")
# --- the frame
case("frame-unread", P + "st.local.T [stack], %t; add %x, %t, %c")
case("frame-read-twice", P + "st.local.T [stack], %t; ld.local.T %u, [stack]; add %x, %u, %c; ld.local.T %v, [stack]; sub %y, %v, %d")
case("frame-of-sum", P + "add %u, %t, %c; st.local.T [stack+8], %u; ld.local.T %v, [stack+8]; mul %v, %v, %d; add %x, %v, %e")
# --- invariants of a loop that is not unrolled
case("rolled-invariant-sum", P + "and.b32 %k, %n, 7; L1: .pragma \"nounroll\"; add %y, %t, %c; add.rn %x, %x, %y" + END)
case("rolled-invariant-product", "and.b32 %k, %n, 7; L1: .pragma \"nounroll\"; " + P + "add %x, %x, %t; mul.rn %x, %x, %c" + END)
# --- products that cross the turns of a loop of unknown length
CROSSING = {
    "added-next": (P, "add %x, %x, %t; add.rn %a, %a, %c; mul %t, %a, %b", ""),
    "next-only": (P, "add %x, %t, %x; mul %t, %x, %b", ""),
    "read-behind": ("", "mul %t, %a, %b; add.rn %a, %a, %c; add %y, %y, %t", "; add %x, %t, %c"),
    "factor-next": (P, "add %x, %t, %c; mul.rn %a, %a, %x; mul %t, %a, %b; mul.rn %y, %x, %y; add.rn %y, %y, %x", ""),
    "last-read-behind": ("", "mul %t, %a, %b; sub %x, %t, %c; mul.rn %a, %x, %d; mul %z, %x, %t", ""),
    "last-dead": (P, "mul.rn %x, %x, %t; mul %t, %a, %b; add %y, %y, %t; add.rn %a, %a, %c", ""),
}
COUNTS = {
    "down": ("and.b32 %k, %n, 7; ", "sub.s32 %k, %k, 1; setp.ge.s32 %l, %k, 0; @%l bra L1"),
    "down-free": ("mov.u32 %k, %n; ", "sub.s32 %k, %k, 1; setp.gt.s32 %l, %k, 0; @%l bra L1"),
    "down-not-equal": ("and.b32 %k, %n, 15; add.u32 %k, %k, 1; ", "sub.s32 %k, %k, 1; setp.ne.s32 %l, %k, 0; @%l bra L1"),
    "up": ("mov.u32 %k, 0; and.b32 %j, %n, 15; ", "add.s32 %k, %k, 1; setp.lt.s32 %l, %k, %j; @%l bra L1"),
    "up-unsigned": ("mov.u32 %k, 0; and.b32 %j, %n, 15; ", "add.u32 %k, %k, 1; setp.lt.u32 %l, %k, %j; @%l bra L1"),
    "up-not-equal": ("mov.u32 %k, 0; and.b32 %j, %n, 15; add.u32 %j, %j, 1; ", "add.s32 %k, %k, 1; setp.ne.s32 %l, %k, %j; @%l bra L1"),
    "up-from": ("and.b32 %k, %m, 7; and.b32 %j, %n, 15; ", "add.s32 %k, %k, 1; setp.lt.s32 %l, %k, %j; @%l bra L1"),
    "up-by-two": ("mov.u32 %k, 0; and.b32 %j, %n, 31; ", "add.s32 %k, %k, 2; setp.lt.s32 %l, %k, %j; @%l bra L1"),
    "up-by-unknown": ("mov.u32 %k, 0; and.b32 %i, %m, 1; add.u32 %i, %i, 1; and.b32 %j, %n, 31; ", "add.s32 %k, %k, %i; setp.lt.s32 %l, %k, %j; @%l bra L1"),
    "until-equal": ("mov.u32 %k, 0; and.b32 %j, %n, 15; add.u32 %j, %j, 1; ", "add.s32 %k, %k, 1; setp.eq.s32 %l, %k, %j; @!%l bra L1"),
    "compared-before": ("mov.u32 %k, 0; and.b32 %j, %n, 15; ", "setp.lt.s32 %l, %k, %j; add.s32 %k, %k, 1; @%l bra L1"),
}
for b, (before, body, behind) in CROSSING.items():
    for c, (start, step) in COUNTS.items():
        if b == "added-next" or c in ("down", "up"):
            case(f"crossing-{b}-{c}", before + start + "L1: " + body + "; " + step + behind)
START, STEP = COUNTS["down"]
for n in (13, 14, 15, 16, 17):
    case(f"crossing-size-{n + 3}", P + START + "L1: " + CROSSING["added-next"][1] + "; fma.rn.T %y, %y, %b, %c" * n + "; " + STEP)
for what, line in {"division": "div.rn.T %z, %x, %d", "fence": "membar.gl", "load": "ld.global.T %z, [%in]", "store": "st.global.T [%out], %x", "guard": "@%p fma.rn.T %z, %z, %b, %c",
                   "barrier": "st.shared.T [%here], %x; bar.sync 0; ld.shared.T %z, [%here]"}.items():
    case(f"crossing-with-{what}", P + START + "L1: " + CROSSING["added-next"][1] + "; " + line + "; " + STEP)
case("crossing-in-loop", P + "and.b32 %i, %m, 3; L6: " + START + "L1: " + CROSSING["added-next"][1] + "; " + STEP + "; sub.s32 %i, %i, 1; setp.ge.s32 %l, %i, 0; @%l bra L6")
case("crossing-unrolled-in-loop", P + "and.b32 %i, %m, 3; L6: mov.u32 %k, 2; L1: " + CROSSING["added-next"][1] + "; " + STEP + "; sub.s32 %i, %i, 1; setp.ge.s32 %l, %i, 0; @%l bra L6")
case("crossing-no-unroll", P + START + "L1: .pragma \"nounroll\"; " + CROSSING["added-next"][1] + "; " + STEP)
case("crossing-tested-first", P + "mov.u32 %k, 0; and.b32 %j, %n, 15; L1: setp.ge.s32 %l, %k, %j; @%l bra L2; " + CROSSING["added-next"][1] + "; add.s32 %k, %k, 1; bra L1; L2:")
case("crossing-4001-turns", P + "mov.u32 %k, 4000; L1: " + CROSSING["added-next"][1] + "; " + STEP)


def inputs():
    state = 12345
    def word():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return state >> 32
    out = b""
    for thread in range(32):
        tiny = thread >= 26
        for k in range(6):
            exponent = 127 + word() % 3 - 1
            if tiny and k in (0, 2, 3):
                exponent = 1 + word() % 3 if k else 2
            if tiny and k == 1:
                exponent = 126 + word() % 2
            out += struct.pack("<I", word() % 2 << 31 | exponent << 23 | word() % 2 ** 23)
        out += struct.pack("<II", word() % 256, word() % 256)
        for k in range(6):
            out += struct.pack("<Q", word() % 2 << 63 | (1023 + word() % 3 - 1) << 52 | (word() << 20 | word() % 2 ** 20) % 2 ** 52)
    return out


def all_cases():
    for name, (body, functions, only) in cases.items():
        for t in ("f32", "f64"):
            if only in ("", t):
                yield f"{name}_{t}", text(t, body.replace(".TT", "." + t), functions)


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, "inputs.bin"), "wb").write(inputs())
    count = 0
    for name, module in all_cases():
        open(os.path.join(folder, name + ".ptx"), "w").write(module)
        count += 1
    print(count, "cases")
