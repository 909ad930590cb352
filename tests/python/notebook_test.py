#!/usr/bin/env python3
"""What the Python package gives a notebook (python/epochcast/_notebook.py), with the real program and pandas, and the notebook of
the documents, executed. Environment: EPOCHCAST_BINARY_DIR, the folder of the programs. UPDATE_GOLDEN=1 rewrites the notebook."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTEBOOK = os.path.join(ROOT, "docs/howto/notebook.ipynb")
PROGRAMS = os.environ["EPOCHCAST_BINARY_DIR"]
MODULE = os.path.join(ROOT, "python")

os.environ["PATH"] = PROGRAMS + os.pathsep + os.environ["PATH"]
os.environ["PYTHONPATH"] = os.pathsep.join([MODULE, os.environ.get("PYTHONPATH", "")])
sys.path.insert(0, MODULE)
import epochcast as ec  # noqa: E402


class FramesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.records = os.path.join(cls.folder, "records with a blank")
        subprocess.run(["epochcast-analyze", "import", "published", "lab", "-o", cls.records], check=True, stdout=subprocess.DEVNULL)

    def test_every_table_equals_what_h5py_reads(self):
        import h5py

        frames = vars(ec.read(self.records))
        for path in sorted({*frames["runs"].record}):
            with h5py.File(path) as file:
                for name, rows in file.items():
                    if not isinstance(rows, h5py.Dataset) or rows.dtype.names is None or not len(rows):
                        continue
                    frame = frames[name][frames[name].record == path]
                    self.assertEqual(len(frame), len(rows), name)
                    for field in rows.dtype.names:
                        for found, expected in zip(frame[field], rows[field]):
                            if isinstance(expected, bytes):  # pandas makes numbers of texts where a whole column allows it
                                text = expected.rstrip(b"\0").decode()
                                expected = float(text or "nan") if not isinstance(found, str) else text
                            both_missing = found != found and expected != expected
                            self.assertTrue(found == expected or both_missing, (name, field, found, expected))

    def test_records_are_chosen_by_a_filter(self):
        self.assertEqual(set(ec.read(self.records, filter="allocation=t4").runs.allocation), {"t4"})
        self.assertEqual(len(ec.read(self.records, filter=["allocation=t4", "epochs=20"]).runs), 1)

    def test_names_of_others_are_text_in_tables_and_pictures(self):
        hostile = "<script>x</script>\"'><img src=x onerror=y>\u202eb \x1b[2J"
        folder = os.path.join(self.folder, "hostile")
        subprocess.run(["epochcast-run", "--records=" + folder, "--work=" + self.folder, "--point=p", "--telemetry=0s",
                        "--experiment=" + hostile, "--allocation=" + hostile.replace("\x1b", ""), "--parameter=a=" + hostile, "--",
                        "sh", "-c", "for i in 1 2 3; do echo Epoch $i/3 loss: 0.$i; done"], check=True, stdout=subprocess.DEVNULL)
        shown = [frame._repr_html_() for frame in (ec.read(folder).runs, ec.table("runs", folder, wide=True))]
        shown.append(ec.plot("losses", folder)._repr_svg_())
        for text in shown:
            self.assertNotIn("<script", text)
            self.assertNotIn("<img", text)
            self.assertNotIn("\x1b", text)
        self.assertIn("&lt;script&gt;", "".join(shown))

    def test_a_table_has_the_columns_and_notes_of_the_program(self):
        lab = ec.table("lab", self.records).set_index("allocation")
        self.assertAlmostEqual(lab.error_percent["v100"], 20.0, delta=0.1)
        ratio = ec.table("lab", self.records, part="gpu_ratios")
        self.assertAlmostEqual(ratio.observed_ratio[0], 2.746, places=3)
        self.assertIn("title", ratio.attrs)
        by_batch = ec.table("runs", self.records, by="batch", sort="total_s", rows=2, wide=True)
        self.assertEqual(len(by_batch), 2)

    def test_a_forecast_is_that_of_the_program(self):
        chosen = {"epochs": 90, "filter": ["allocation=v100", "epochs=20"]}
        forecast = ec.predict(self.records, **chosen)
        words = ["predict", self.records, "--epochs", "90", "--filter", "allocation=v100", "--filter", "epochs=20", "--format", "json"]
        text = subprocess.run(["epochcast-analyze", *words], check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(forecast.forecast_s[0], json.loads(text)["tables"][0]["rows"][0]["forecast_s"])
        self.assertEqual(list(ec.predict(self.records, part="parts", **chosen).columns)[0], "record")

    def test_a_refused_forecast_is_a_warning_with_the_reason(self):
        with self.assertWarnsRegex(UserWarning, "v100.e20.*: refused: the record does not state how many tokens"):
            forecast = ec.predict(self.records, tokens=10**6, filter=["allocation=v100", "epochs=20"])
        self.assertTrue(forecast["forecast_s"].isna().all())

    def test_a_picture_is_svg(self):
        picture = ec.plot("lab", self.records)
        self.assertIn("<svg", picture._repr_svg_())
        path = os.path.join(self.folder, "lab.svg")
        picture.save(path)
        with open(path) as file:
            self.assertEqual(file.read(), picture.svg)

    def test_what_the_program_refuses_is_an_error_in_its_words(self):
        for act, message in [
            (lambda: ec.read("/nowhere"), "/nowhere: no such file or folder"),
            (lambda: ec.table("labb", self.records), "unknown table 'labb'; did you mean 'lab'?"),
            (lambda: ec.predict(self.records, epochs=90, part="x"), "found no table 'x', expected forecast, parts"),
        ]:
            with self.assertRaises(ec.Error) as refused:
                act()
            self.assertEqual(str(refused.exception), message)

    def test_a_damaged_record_is_named_and_the_others_are_read(self):
        damaged = os.path.join(self.folder, "damaged")
        shutil.copytree(self.records, damaged)
        with open(os.path.join(damaged, "broken.h5"), "wb") as file:
            file.write(b"not HDF5")
        done = subprocess.run(
            [sys.executable, "-c", "import epochcast as ec; print(len(ec.read({!r}).runs))".format(damaged)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=True)
        self.assertEqual(done.stdout, "8\n")
        self.assertIn("broken.h5", done.stderr)

    def test_without_the_program_or_pandas_an_error_says_what_to_do(self):
        cases = [(PROGRAMS, "pandas", "pip install pandas")]
        if ec.__file__.startswith(MODULE):  # a wheel has the programs beside the package
            cases.append(("/nowhere", "", "found no epochcast-analyze"))
        for path, hide, message in cases:
            code = "import sys; sys.modules[{!r}] = None; import epochcast as ec\ntry: ec.read('x')\nexcept ec.Error as e: print(e)"
            done = subprocess.run(
                [sys.executable, "-c", code.format(hide or "no_module")], env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                encoding="utf-8", check=True)
            self.assertIn(message, done.stdout)

    def test_without_the_package_of_a_tracker_an_error_says_what_to_do(self):
        for name in ("wandb", "mlflow"):
            code = "import sys; sys.modules[{0!r}] = None; import epochcast as ec\ntry: ec.to_{0}('x')\nexcept ec.Error as e: print(e)"
            done = subprocess.run([sys.executable, "-c", code.format(name)], stdout=subprocess.PIPE, encoding="utf-8", check=True)
            self.assertEqual(done.stdout, "found no {0}, which epochcast.to_{0} writes with; to get it: pip install {0}\n".format(name))


class NotebookTest(unittest.TestCase):
    maxDiff = None

    def outputs(self, path):
        """The texts of each cell; of a picture, that there is one."""
        with open(path) as file:
            cells = json.load(file)["cells"]
        return [
            [{kind: "svg" if kind == "image/svg+xml" else text for kind, text in output["data"].items()} for output in cell["outputs"]]
            for cell in cells if cell["cell_type"] == "code"]

    def test_the_notebook_of_the_documents_shows_what_its_cells_print(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "notebook.ipynb")
            shutil.copy(NOTEBOOK, copy)
            done = subprocess.run(
                [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace",
                 "--ExecutePreprocessor.record_timing=False", copy],
                env={**os.environ, "HOME": folder}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stdout)
            if os.environ.get("UPDATE_GOLDEN"):
                shutil.copy(copy, NOTEBOOK)
            self.assertEqual(self.outputs(copy), self.outputs(NOTEBOOK))


if __name__ == "__main__":
    unittest.main()
