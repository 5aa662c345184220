"""Tests of the package, with the standard library alone: python3 -m unittest discover python/tests"""

import array
import json
import os
import sys
import tempfile
import types
import unittest

import keplersim
import notebook

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAXPY = os.path.join(ROOT, "workloads", "saxpy", "saxpy.ptx")
SCALE = """extern "C" __global__ void scale(float *x, float by, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * by;
}
"""
BUILTIN = ["--compiler", "builtin"]


class Runs(unittest.TestCase):
    def test_arrays_go_in_and_come_back(self):
        x, y = array.array("f", range(256)), array.array("f", [1] * 256)
        rows = keplersim.run(SAXPY, grid=4, block=64, args=[256, 2.0, x, y])
        self.assertEqual(list(y), [2.0 * i + 1 for i in range(256)])
        self.assertEqual(list(x), list(range(256)))
        self.assertEqual(len(rows), 1)
        self.assertEqual((rows[0]["kernel"], rows[0]["grid"], rows[0]["block"]), ("saxpy", "4x1x1", "64x1x1"))
        self.assertGreater(rows[0]["cycles"], 0)
        self.assertGreater(rows[0]["time_us"], 0)
        self.assertEqual(rows[0]["inst_executed"], int(rows[0]["inst_executed"]))

    def test_what_cannot_be_written_stays(self):
        x, y = bytes(1024), bytearray(1024)
        keplersim.run(SAXPY, grid=(4, 1), block=(64,), args=[256, 2.0, "f32[256]:fill(3)", y], flags=["--functional"])
        self.assertEqual(array.array("f", bytes(y))[7], 6.0)
        keplersim.run(SAXPY, grid=4, block=64, args=[256, 2.0, x, x])
        self.assertEqual(x, bytes(1024))

    def test_source_text_boards_keys_metrics(self):
        x = array.array("f", [1.5] * 64)
        rows = keplersim.run(SCALE, grid=2, block=32, args=[x, 4, 64], config=["k20", "k40"], set={"l2.latency": 250},
                             metrics=["ipc", "gst_*"], flags=BUILTIN)
        self.assertEqual([row["config"] for row in rows], ["k20", "k40"])
        self.assertIn("gst_efficiency", rows[0])
        self.assertNotIn("gld_efficiency", rows[0])
        self.assertEqual(x[0], 1.5, "of several boards none has the last word")
        keplersim.run(SCALE, grid=2, block=32, args=[x, 4, 64], config="k20", flags=BUILTIN)
        self.assertEqual(x[0], 6.0)

    def test_errors_say_what_the_program_says(self):
        with self.assertRaisesRegex(keplersim.Error, "no-such.ptx") as wrong:
            keplersim.run("no-such.ptx")
        self.assertEqual(wrong.exception.code, 2)
        with self.assertRaisesRegex(TypeError, "give a number, an array, or a text"):
            keplersim.run(SAXPY, args=[object()])
        with self.assertRaisesRegex(TypeError, "no type in a kernel"):
            keplersim.run(SAXPY, args=[memoryview(b"12345678").cast("P")])
        before, os.environ["KEPLERSIM"] = os.environ["KEPLERSIM"], ""
        path, os.environ["PATH"] = os.environ["PATH"], ""
        try:
            with self.assertRaisesRegex(keplersim.Error, "there is no keplersim on PATH"):
                keplersim.program()
        finally:
            os.environ["KEPLERSIM"], os.environ["PATH"] = before, path

    def test_a_failed_expectation_is_an_error(self):
        with self.assertRaisesRegex(keplersim.Error, "(?s).+") as failed:
            keplersim.run(os.path.join(ROOT, "cli", "testdata", "add-wrong.yaml"))
        self.assertEqual(failed.exception.code, 1)


class Tables(unittest.TestCase):
    def test_pandas_gets_the_rows_where_it_is(self):
        frames = types.ModuleType("pandas")
        frames.DataFrame = lambda rows: ("frame", rows)
        before = sys.modules.get("pandas")
        sys.modules["pandas"] = frames
        try:
            self.assertEqual(keplersim.tables([{"a": 1}]), ("frame", [{"a": 1}]))
        finally:
            del sys.modules["pandas"]
            if before:
                sys.modules["pandas"] = before

    def test_rows_show_themselves(self):
        rows = keplersim.Rows([{"kernel": "a<b>", "ipc": 1}, {"kernel": "c", "time_us": 2}])
        self.assertEqual(rows.columns(), ["kernel", "ipc", "time_us"])
        self.assertIn("<td>a&lt;b></td><td>1</td><td></td>", rows._repr_html_())

    def test_studies_and_saved_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            study = os.path.join(folder, "study.yaml")
            with open(study, "w") as file:
                file.write("run: [%s]\nvary: {l2.latency: [150, 250], smx.count: [2, 99]}\nmetrics: [cycles, ipc]\n" %
                           os.path.join(ROOT, "cli", "testdata", "add-right.yaml"))
            rows = keplersim.sweep(study, flags=["--store", os.path.join(folder, "store")])
            self.assertEqual([row["status"] for row in rows], ["ok", "failed", "ok", "failed"])
            self.assertLess(rows[0]["cycles"], rows[2]["cycles"])
            self.assertIsNone(rows[1]["cycles"])
            with self.assertRaises(keplersim.Error):
                keplersim.sweep(os.path.join(folder, "none.yaml"))


class Notebooks(unittest.TestCase):
    def test_the_magic_runs_a_cell(self):
        shell = notebook.Shell()
        keplersim.load_ipython_extension(shell)
        shell.user_ns["x"] = array.array("f", [2] * 64)
        shell.magics["keplersim"]("--grid 2 --block 32 --compiler=builtin --into table x 0.5 64", SCALE)
        self.assertEqual(shell.user_ns["x"][63], 1.0)
        self.assertEqual(shell.user_ns["table"][0]["kernel"], "scale")
        with self.assertRaisesRegex(ValueError, "--grid has no value"):
            shell.magics["keplersim"]("--grid", SCALE)

    def test_the_example_runs_headless(self):
        with open(os.path.join(ROOT, "examples", "notebook", "saxpy.ipynb")) as file:
            cells = json.load(file)["cells"]
        self.assertTrue(all(not cell.get("outputs") for cell in cells), "the notebook is committed without outputs")
        names = notebook.execute(cells)
        self.assertEqual(list(names["y"][:3]), [1.0, 3.0, 5.0])
        self.assertEqual(len(names["boards"]), 3)


if __name__ == "__main__":
    unittest.main()
