"""Run CUDA kernels on simulated Kepler GPUs, and get tables.

    import array, keplersim
    x = array.array("f", range(1024))
    y = array.array("f", [0] * 1024)
    table = keplersim.run("saxpy.cu", grid=4, block=256, args=[1024, 2.0, x, y])

The table has a row for each launch: a pandas.DataFrame where pandas is installed, else a list of dicts. Arrays (array.array, numpy,
bytearray) go to the kernel, and get what it wrote. The module calls the program keplersim: the one that the environment variable
KEPLERSIM names, or the one on PATH. It needs nothing but Python's standard library.
"""

import csv
import json
import numbers
import os
import shutil
import subprocess
import tempfile

__version__ = "0.3.0"
__all__ = ["Error", "Rows", "load", "program", "run", "sweep", "tables"]


class Error(RuntimeError):
    """What keplersim said when it failed. `code` is its exit code: 1 the run failed, 2 the input is wrong."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Rows(list):
    """A list of dicts that shows itself as a table: used in place of a DataFrame where pandas is missing."""

    def columns(self):
        """Return the names of all columns, in the order in which rows have them."""
        return list(dict.fromkeys(name for row in self for name in row))

    def _repr_html_(self):
        names = self.columns()
        cells = [names] + [[str(row.get(name, "")) for name in names] for row in self]
        lines = ("<tr><td>" + "</td><td>".join(map(_escaped, line)) + "</td></tr>" for line in cells)
        return "<table>" + "".join(lines) + "</table>"


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def program():
    """Return the path of the program keplersim."""
    path = os.environ.get("KEPLERSIM") or shutil.which("keplersim")
    if not path:
        raise Error("there is no keplersim on PATH: install it, or set KEPLERSIM to its path", 2)
    return path


def _call(words, text=None, allowed=(0,)):
    """Run keplersim and return its exit code and what it printed."""
    done = subprocess.run([program(), *words], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          stdin=subprocess.DEVNULL if text is None else None)
    if done.returncode not in allowed:
        raise Error((done.stderr or done.stdout).strip(), done.returncode)
    return done.returncode, done.stdout, done.stderr


def tables(rows):
    """Return rows as a pandas.DataFrame, or as Rows where pandas is missing."""
    try:
        import pandas
    except ImportError:
        return Rows(rows)
    return pandas.DataFrame(rows)


def _rows(report):
    """Return a row for each launch of a JSON report, or of a list of them."""
    if isinstance(report, list):
        return [row for one in report for row in _rows(one)]
    rows = []
    for launch in report["kernels"]:
        row = {"kernel": launch["name"], "config": launch["config"]}
        for name in ("grid", "block"):
            row[name] = "x".join(map(str, launch[name]))
        for name in ("registers", "launch_cycles", "cycles", "time_us"):
            row[name] = launch[name]
        trust = launch.get("trust", {})
        row["typical_error_percent"] = trust.get("typical_percent") if trust.get("validated") else None
        row.update(launch["metrics"])
        rows.append(row)
    return rows


def load(path):
    """Return the table of a report that `keplersim run --format json -o PATH` wrote, or of a study's table in CSV."""
    with open(path, newline="") as file:
        if str(path).endswith(".csv"):
            return tables([{name: _number(text) for name, text in row.items()} for row in csv.DictReader(file)])
        return tables(_rows(json.load(file)))


def _number(text):
    """Return a cell of CSV: a number where it is one, None where it is empty."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def _dimensions(value):
    """Return a grid or block as the program takes it: 64 or (16, 16)."""
    return str(value) if isinstance(value, (int, str)) else ",".join(map(str, value))


def _element(view):
    """Return keplersim's type of the elements of a buffer."""
    code = view.format.lstrip("@=<")
    if code in "efd" and len(code) == 1:
        return "f%d" % (8 * view.itemsize)
    if code in ("b", "h", "i", "l", "q"):
        return "s%d" % (8 * view.itemsize)
    if code in ("B", "H", "I", "L", "Q", "c", "?"):
        return "u%d" % (8 * view.itemsize)
    raise TypeError("elements of format %r have no type in a kernel: use floats or integers" % view.format)


def _spec(value, name, folder, outputs):
    """Return a value as --arg takes it. Buffers go to files; outputs, where it is a dict, gets those that can be written."""
    if isinstance(value, str):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # a number of numpy
        value = value.item()
    if isinstance(value, numbers.Number):
        return repr(int(value) if isinstance(value, (bool, numbers.Integral)) else float(value))
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError("argument %r: give a number, an array, or a text as --arg takes it" % (value,)) from None
    if not view.c_contiguous:
        raise TypeError("an array of a kernel must be contiguous: pass a copy")
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(view.cast("B") if view.nbytes else b"")
    if outputs is not None and not view.readonly:
        outputs[name] = view
    return "%s=%s[%d]:file(%s)" % (name, _element(view), view.nbytes // view.itemsize, path)


def run(kernel, grid=None, block=None, args=(), shared=None, symbols=None, config=None, set=None, metrics=None, flags=(), argv=None):
    """Run a kernel, a workload file or a whole program, and return a table with a row for each launch.

    kernel   a file (.cu, .ptx, .yaml), or CUDA C, PTX or a workload file as a text of several lines
    grid     blocks, as 64 or (16, 16); block: threads of a block; shared: bytes of dynamic shared memory
    args     the kernel's arguments in order: numbers, arrays, or texts as --arg takes them, such as "f32[1024]:random".
             Arrays that can be written hold the kernel's results afterwards; the others go in alone.
    symbols  __constant__ and __device__ variables by name, as arrays or texts
    config   a board, or a list of boards: arrays then go in alone
    set      keys of the configuration: {"l2.latency": 250}
    metrics  names as --metrics takes them; default all
    flags    further flags of keplersim run: ["--detail", "sample"]
    argv     arguments of a whole program

    Error is raised where the input is wrong, or the run or an expectation of a workload file fails.
    """
    with tempfile.TemporaryDirectory(prefix="keplersim-") as folder:
        text, outputs = None, {}
        if isinstance(config, str):
            config = config.split(",")
        words = ["run", kernel]
        if "\n" in str(kernel):
            text, words = kernel, ["run", "-"]
        report = os.path.join(folder, "report.json")
        words += ["--format", "json", "--output", report]
        for flag, value in (("--grid", grid), ("--block", block), ("--shared", shared)):
            if value is not None:
                words += [flag, _dimensions(value)]
        for number, value in enumerate(args):
            words += ["--arg", _spec(value, "arg%d" % number, folder, None if config and len(config) > 1 else outputs)]
        for name, value in (symbols or {}).items():
            spec = _spec(value, name, folder, None)
            words += ["--symbol", spec if spec.startswith(name + "=") else name + "=" + spec]
        if config is not None:
            words += ["--config", ",".join(config)]
        for key, value in (set or {}).items():
            words += ["--set", "%s=%s" % (key, value)]
        if metrics is not None:
            words += ["--metrics", metrics if isinstance(metrics, str) else ",".join(metrics)]
        for name in outputs:
            words += ["--dump", "%s=%s" % (name, os.path.join(folder, name + ".out"))]
        words += list(flags)
        if argv is not None:
            words += ["--", *map(str, argv)]
        _call(words, text)
        for name, view in outputs.items():
            with open(os.path.join(folder, name + ".out"), "rb") as file:
                if view.nbytes:
                    view.cast("B")[:] = file.read()
        with open(report) as file:
            return tables(_rows(json.load(file)))


def sweep(study, flags=()):
    """Run a study and return its table. Points that are wrong or failed are rows of it, with the reason."""
    with tempfile.TemporaryDirectory(prefix="keplersim-") as folder:
        table = os.path.join(folder, "table.csv")
        code, _, errors = _call(["sweep", str(study), "--output", table, *flags], allowed=(0, 1))
        if code and not os.path.exists(table):
            raise Error(errors.strip(), code)
        return load(table)


def load_ipython_extension(shell):
    """Make the magic %%keplersim available: %load_ext keplersim."""
    from . import magic

    shell.register_magic_function(magic.cell(shell), "cell", "keplersim")
