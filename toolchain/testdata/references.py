#!/usr/bin/env python3
"""Writes reference values of the mathematical functions, for the tests of the CUDA header.

usage: references.py [arguments per function] > functions.txt      (needs mpmath)

A line is: function, arguments as hexadecimal floats, and the true value to 30 digits, or inf, -inf, nan, 0, -0.
Special cases follow C99 (annex F) and the CUDA C programming guide; they are written out below, not computed.
"""
import random
import struct
import sys

from mpmath import mp, mpf
import mpmath as m

mp.dps = 60
count = int(sys.argv[1]) if len(sys.argv) > 1 else 24
INF, NAN = float("inf"), float("nan")


def word(v):
    return "0" if v == 0 else m.nstr(v, 30, min_fixed=0, max_fixed=0)


def spell(x):
    if x != x:
        return "nan"
    return {INF: "inf", -INF: "-inf"}.get(x) or float.hex(x)


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def uniform(r, a, b):
    return r.uniform(a, b)


def spread(r, low, high):
    """A number of either sign whose binary exponent is uniform from low to high."""
    return r.choice([-1, 1]) * r.uniform(1, 2) * 2.0 ** r.randint(low, high)


def mix(*ranges):
    return lambda r: (lambda kind, a, b: kind(r, a, b))(*r.choice(ranges))


U, S = uniform, spread
positive = lambda g: (lambda r: abs(g(r)))

with mp.workdps(60):
    HALF_ROOT = m.sqrt(2)

def erfcx(x):
    with mp.workdps(700 if abs(x) > 5 else 80):
        return +(m.erfc(x) * m.exp(x * x)) if x < 100 else m.quad(lambda t: 2 / m.sqrt(m.pi) * m.exp(-t * t - 2 * x * t), [0, 1 / x, 10 / x, 60 / x])

def erfinv(y):
    with mp.workdps(400):
        return m.erfinv(y)

def erfcinv(p):
    """Newton's method on log erfc, which is nearly a parabola."""
    with mp.workdps(60):
        if p > 1:
            return -erfcinv(2 - p)
        if p > mpf("0.01"):
            return m.erfinv(1 - p)
        x = m.sqrt(-m.log(p))
        for _ in range(60):
            e = m.erfc(x)
            step = m.log(e / p) * e / (2 / m.sqrt(m.pi) * m.exp(-x * x))
            x += step
            if abs(step) < abs(x) * mpf(10) ** -50:
                break
        return x

def sinpi(x): return m.sinpi(x)
def fmod(x, y): return m.sign(x) * (abs(x) - abs(y) * m.floor(abs(x) / abs(y)))
def remainder(x, y):
    with mp.workdps(700):
        q = abs(x) / abs(y)
        n = m.nint(q)  # halves to even
        r = abs(x) - n * abs(y)
        return r if x > 0 else -r

# name: (true value, arguments, special cases as (arguments..., value))
ONE = {
    "exp": (m.exp, mix((U, -745, 709.7), (U, -1, 1), (S, -60, 9)), [(INF, INF), (-INF, 0.0), (0.0, 1.0), (800.0, INF), (-800.0, 0.0)]),
    "exp2": (lambda x: m.power(2, x), mix((U, -1074, 1023.9), (U, -2, 2), (S, -60, 9)), [(INF, INF), (-INF, 0.0), (10.0, 1024.0), (-1074.0, 5e-324), (1024.0, INF)]),
    "exp10": (lambda x: m.power(10, x), mix((U, -323, 308.2), (U, -2, 2), (S, -60, 8)), [(INF, INF), (-INF, 0.0), (0.0, 1.0), (309.0, INF)]),
    "expm1": (m.expm1, mix((U, -50, 709), (U, -1, 1), (S, -60, 3)), [(INF, INF), (-INF, -1.0), (-0.0, -0.0)]),
    "log": (m.log, positive(mix((S, -1074, 1023), (U, 0.5, 2))), [(INF, INF), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (1.0, 0.0)]),
    "log2": (lambda x: m.log(x) / m.log(2), positive(mix((S, -1074, 1023), (U, 0.5, 2))), [(INF, INF), (0.0, -INF), (8.0, 3.0), (2.0**-1074, -1074.0), (-1.0, NAN)]),
    "log10": (m.log10, positive(mix((S, -1074, 1023), (U, 0.5, 2))), [(INF, INF), (0.0, -INF), (1000.0, 3.0), (1e15, 15.0), (-1.0, NAN)]),
    "log1p": (lambda x: m.log1p(x), mix((U, -0.999, 3), (S, -60, -2)), [(INF, INF), (-1.0, -INF), (-2.0, NAN), (-0.0, -0.0)]),
    "sin": (m.sin, mix((U, -10, 10), (U, -1e6, 1e6), (S, -40, 1023)), [(INF, NAN), (-0.0, -0.0)]),
    "cos": (m.cos, mix((U, -10, 10), (U, -1e6, 1e6), (S, -40, 1023)), [(-INF, NAN), (0.0, 1.0)]),
    "tan": (m.tan, mix((U, -10, 10), (U, -1e6, 1e6), (S, -40, 1023)), [(INF, NAN), (-0.0, -0.0)]),
    "sinpi": (sinpi, mix((U, -3, 3), (U, -1e5, 1e5), (S, -40, 40)), [(INF, NAN), (-0.0, -0.0), (0.5, 1.0), (-1.5, 1.0)]),
    "cospi": (m.cospi, mix((U, -3, 3), (U, -1e5, 1e5), (S, -40, 40)), [(INF, NAN), (0.0, 1.0), (0.5, 0.0), (3.0, -1.0)]),
    "asin": (m.asin, mix((U, -1, 1), (S, -40, -1)), [(1.0000001, NAN), (-0.0, -0.0)]),
    "acos": (m.acos, mix((U, -1, 1), (S, -40, -1)), [(-1.0000001, NAN), (1.0, 0.0)]),
    "atan": (m.atan, mix((U, -3, 3), (S, -60, 80)), [(INF, 1.5707963267948966), (-0.0, -0.0)]),
    "sinh": (m.sinh, mix((U, -710, 710), (U, -3, 3), (S, -40, 2)), [(INF, INF), (-INF, -INF), (-0.0, -0.0)]),
    "cosh": (m.cosh, mix((U, -710, 710), (U, -3, 3), (S, -40, 2)), [(-INF, INF), (0.0, 1.0)]),
    "tanh": (m.tanh, mix((U, -25, 25), (U, -1, 1), (S, -40, 2)), [(INF, 1.0), (-INF, -1.0), (-0.0, -0.0)]),
    "asinh": (m.asinh, mix((U, -3, 3), (S, -40, 1023)), [(INF, INF), (-INF, -INF), (-0.0, -0.0)]),
    "acosh": (m.acosh, positive(mix((U, 1, 3), (S, 1, 1023))), [(INF, INF), (1.0, 0.0), (0.5, NAN)]),
    "atanh": (m.atanh, mix((U, -1, 1), (S, -40, -2)), [(1.0, INF), (-1.0, -INF), (2.0, NAN), (-0.0, -0.0)]),
    "sqrt": (m.sqrt, positive(mix((S, -1074, 1023), (U, 0, 10))), [(INF, INF), (-1.0, NAN), (-0.0, -0.0)]),
    "rsqrt": (lambda x: 1 / m.sqrt(x), positive(mix((S, -1074, 1023), (U, 0, 10))), [(INF, 0.0), (0.0, INF), (-1.0, NAN)]),
    "cbrt": (lambda x: m.sign(x) * m.cbrt(abs(x)), mix((S, -1074, 1023), (U, -30, 30)), [(INF, INF), (-0.0, -0.0), (27.0, 3.0), (-8.0, -2.0)]),
    "rcbrt": (lambda x: m.sign(x) / m.cbrt(abs(x)), mix((S, -1074, 1023), (U, -30, 30)), [(INF, 0.0), (0.0, INF), (-0.0, -INF)]),
    "erf": (m.erf, mix((U, -6, 6), (U, -1, 1), (S, -40, -1)), [(INF, 1.0), (-INF, -1.0), (-0.0, -0.0)]),
    "erfc": (m.erfc, mix((U, -6, 26.5), (U, -1, 1), (U, 0.4, 2)), [(INF, 0.0), (-INF, 2.0), (0.0, 1.0)]),
    "erfcx": (erfcx, mix((U, -26, 40), (U, -1, 1), (U, 0.4, 2)), [(INF, 0.0), (0.0, 1.0), (-30.0, INF)]),
    "erfinv": (erfinv, mix((U, -1, 1), (S, -40, -1)), [(1.0, INF), (-1.0, -INF), (-0.0, -0.0), (1.5, NAN)]),
    "erfcinv": (erfcinv, positive(mix((U, 0, 2), (S, -1000, -1))), [(0.0, INF), (2.0, -INF), (-0.5, NAN), (1.0, 0.0)]),
    "normcdf": (lambda x: m.erfc(-x / HALF_ROOT) / 2, mix((U, -37, 8), (U, -1, 1)), [(INF, 1.0), (-INF, 0.0), (0.0, 0.5)]),
    "normcdfinv": (lambda p: -HALF_ROOT * erfcinv(2 * p), positive(mix((U, 0, 1), (S, -1000, -2))), [(0.0, -INF), (1.0, INF), (0.5, 0.0), (2.0, NAN)]),
    "tgamma": (m.gamma, mix((U, -3.5, 20), (U, 1, 171.6), (U, -170, 0), (S, -60, -1)), [(INF, INF), (-INF, NAN), (5.0, 24.0), (11.0, 3628800.0), (-3.0, NAN), (-0.0, -INF), (0.0, INF)]),
    "lgamma": (lambda x: m.log(abs(m.gamma(x))) if abs(x) < 200 else m.re(m.loggamma(x)), positive(mix((U, 0, 20), (S, -60, 1000), (U, 0.8, 3.2))), [(INF, INF), (-INF, INF), (1.0, 0.0), (2.0, 0.0), (-3.0, INF), (0.0, INF)]),
    "logb": (lambda x: m.floor(m.log(abs(x)) / m.log(2)), mix((S, -1000, 1000)), [(0.0, -INF), (-INF, INF), (2.0**-1074, -1074.0), (8.0, 3.0)]),
    "round": (None, None, [(0.5, 1.0), (-0.5, -1.0), (0.49999999999999994, 0.0), (2.5, 3.0), (-0.25, -0.0), (4503599627370497.0, 4503599627370497.0), (INF, INF)]),
    "rint": (None, None, [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-2.5, -2.0), (-0.25, -0.0), (INF, INF)]),
    "nearbyint": (None, None, [(0.5, 0.0), (1.5, 2.0), (-3.5, -4.0)]),
    "trunc": (None, None, [(2.7, 2.0), (-2.7, -2.0), (-0.5, -0.0)]),
    "floor": (None, None, [(2.7, 2.0), (-2.1, -3.0), (-0.5, -1.0)]),
    "ceil": (None, None, [(2.1, 3.0), (-2.7, -2.0), (-0.5, -0.0)]),
}
# From -11 to -2.26 log|Gamma| has zeros at which no bound in units in the last place holds, nor does CUDA's.
lgamma_negative = mix((U, -2.2, 0), (U, -60, -11.1))

def power(r):
    kind = r.randrange(4)
    if kind == 0:
        return r.uniform(0, 30), r.uniform(-150, 150)
    if kind == 1:
        x = abs(spread(r, -1000, 1000))
        return x, r.uniform(-1, 1) * 700 / abs(float(m.log(x)) or 1.0)
    if kind == 2:
        return 1 + spread(r, -30, -3), spread(r, 0, 11)
    return -r.uniform(0, 10), float(r.randint(-20, 20))

pair = lambda *ranges: (lambda r: (mix(*ranges)(r), mix(*ranges)(r)))
TWO = {
    "pow": (lambda x, y: m.power(x, y), power, [
        (2.0, 10.0, 1024.0), (0.0, 0.0, 1.0), (NAN, 0.0, 1.0), (1.0, NAN, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN), (-2.0, 0.5, NAN), (-2.0, 3.0, -8.0),
        (-2.0, 2.0, 4.0), (0.0, -1.0, INF), (-0.0, -1.0, -INF), (-0.0, -3.0, -INF), (-0.0, -2.0, INF), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0), (0.5, INF, 0.0), (0.5, -INF, INF), (2.0, INF, INF), (2.0, -INF, 0.0), (INF, 2.0, INF), (INF, -2.0, 0.0),
        (-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, 0.5, INF), (-1.0, 1e300, 1.0), (1.0000000000000002, 1e300, INF),
        (0.9999999999999999, 1e300, 0.0), (10.0, 400.0, INF), (-10.0, 401.0, -INF), (10.0, -400.0, 0.0), (0.0, 2.5, 0.0), (0.0, -INF, INF)]),
    "atan2": (m.atan2, pair((U, -3, 3), (S, -30, 30), (S, -1000, 1000)), [
        (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, 3.141592653589793), (-0.0, -1.0, -3.141592653589793), (0.0, 0.0, 0.0), (0.0, -0.0, 3.141592653589793),
        (1.0, 0.0, 1.5707963267948966), (INF, INF, 0.7853981633974483), (INF, -INF, 2.356194490192345), (-INF, 1.0, -1.5707963267948966),
        (1.0, INF, 0.0), (1.0, -INF, 3.141592653589793), (NAN, 1.0, NAN), (1.0, NAN, NAN)]),
    "hypot": (lambda x, y: m.hypot(x, y), pair((U, -3, 3), (S, -1000, 1000)), [(INF, NAN, INF), (NAN, -INF, INF), (NAN, 1.0, NAN), (3.0, 4.0, 5.0), (0.0, 0.0, 0.0), (3e307, 4e307, 5e307)]),
    "rhypot": (lambda x, y: 1 / m.hypot(x, y), pair((U, -3, 3), (S, -1000, 1000)), [(INF, NAN, 0.0), (0.0, 0.0, INF), (3.0, 4.0, 0.2)]),
    "fmod": (fmod, pair((U, -30, 30), (S, -40, 100)), [(1.0, 0.0, NAN), (INF, 1.0, NAN), (1.0, INF, 1.0), (-0.0, 1.0, -0.0), (-6.0, 3.0, -0.0), (1e308, 5e-324, 0.0), (5e-324, 1e-310, 5e-324)]),
    "remainder": (remainder, pair((U, -30, 30), (S, -40, 100)), [(1.0, 0.0, NAN), (INF, 1.0, NAN), (1.0, INF, 1.0), (5.0, 2.0, 1.0), (7.0, 2.0, -1.0), (-6.0, 3.0, -0.0), (1.5 * 2.0**1023, 1.9375 * 2.0**1023, -0.4375 * 2.0**1023)]),
    "fdim": (None, None, [(3.0, 1.0, 2.0), (1.0, 3.0, 0.0), (NAN, 1.0, NAN), (INF, INF, 0.0)]),
    "nextafter": (None, None, [(1.0, 2.0, 1.0000000000000002), (1.0, 0.0, 0.9999999999999999), (0.0, 1.0, 5e-324), (0.0, -1.0, -5e-324), (5e-324, 0.0, 0.0), (1.7976931348623157e308, INF, INF), (1.0, 1.0, 1.0), (NAN, 1.0, NAN), (-1.0, -2.0, -1.0000000000000002)]),
    "copysign": (None, None, [(3.0, -0.0, -3.0), (-3.0, 1.0, 3.0)]),
    "fmin": (None, None, [(NAN, 1.0, 1.0), (2.0, -1.0, -1.0)]),
    "fmax": (None, None, [(NAN, 1.0, 1.0), (2.0, -1.0, 2.0)]),
}
MIN = mpf(2) ** -1022

def write(name, arguments, value):
    print(name, *map(spell, arguments), spell(value) if isinstance(value, float) else word(value))

def table(entries, unary):
    for name, (true, draw, special) in entries.items():
        for *arguments, value in special:
            if value == 0 and value == value:
                print(name, *map(spell, arguments), "-0" if str(value)[0] == "-" else "0")
            else:
                print(name, *map(spell, arguments), word(mpf(value)) if abs(value) < INF else spell(value))
        if unary:
            print(name, "nan", "nan")
        if not true:
            continue
        r = random.Random(name)
        done = 0
        while done < count:
            drawn = draw(r)
            if name == "lgamma" and r.random() < 0.2:
                drawn = lgamma_negative(r)
            arguments = drawn if isinstance(drawn, tuple) else (drawn,)
            with mp.workdps(380 if max(abs(a) for a in arguments) > 1e15 or name in ("fmod", "remainder") else 60):
                value = +true(*map(mpf, arguments))
            if isinstance(value, m.mpc) or abs(value) < MIN and value != 0 or abs(value) > mpf(2) ** 1023:
                continue
            write(name, arguments, value)
            done += 1

table(ONE, True)
table(TWO, False)

# The doubles next to multiples of a quarter turn, where most of the argument cancels.
for name in "sin", "cos", "tan":
    r = random.Random(name + " beside quarter turns")
    for _ in range(count):
        x = float(r.randint(1, 2 ** r.randint(1, 29)) * m.pi / 2)
        write(name, [x], ONE[name][0](mpf(x)))
