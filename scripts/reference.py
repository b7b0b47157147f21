#!/usr/bin/env python3
"""Reference values for the tests of analyze, computed by scipy and scikit-learn.

    python3 -m venv venv && venv/bin/pip install numpy scipy scikit-learn
    venv/bin/python scripts/reference.py

rewrites analyze/testdata/reference.json and
analyze/surface/testdata/reference.json. The tests need neither Python nor this
script: they compare with the values kept there.
"""

import csv
import json
import pathlib

import numpy as np
from scipy import optimize, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

ROOT = pathlib.Path(__file__).resolve().parent.parent


def usl(n, lam, sigma, kappa):
    return lam * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def fit_usl(n, x):
    """Least squares of log throughput, bounded, from many starts."""
    best = None
    for sigma in (0.0, 0.01, 0.1):
        for kappa in (0.0, 1e-5, 1e-3):
            r = optimize.least_squares(
                lambda p: np.log(usl(n, p[0] * x[0], p[1], p[2])) - np.log(x),
                (1, sigma, kappa), bounds=([0.01, 0, 0], [100, 1, 1]),
                xtol=1e-14, ftol=1e-14, gtol=1e-14, x_scale=(1, 0.01, 1e-4))
            if best is None or r.cost < best.cost:
                best = r
    lam, sigma, kappa = best.x[0] * x[0], best.x[1], best.x[2]
    peak = float(np.sqrt((1 - sigma) / kappa)) if kappa > 1e-9 else None
    knee = optimize.minimize_scalar(
        lambda v: -usl(np.exp(v), lam, sigma, kappa) ** 2 / np.exp(v),
        bounds=(0, np.log(1e5)), method="bounded", options={"xatol": 1e-10})
    return {"lambda": lam, "sigma": sigma, "kappa": kappa, "peak": peak, "knee": float(np.exp(knee.x))}


def curves(rng):
    out = []
    rows = list(csv.DictReader(open(ROOT / "analyze/testdata/talos.csv")))
    for mode, op, batch in (("read+write", "read", "1"), ("read+write", "write", "1"), ("read+write", "read", "1000")):
        pick = [r for r in rows if (r["mode"], r["op"], r["batch"]) == (mode, op, batch)]
        n = np.array([float(r["threads"]) for r in pick])
        x = np.array([float(r["requests_per_s"]) for r in pick])
        out.append({"name": f"talos {mode} {op} batch {batch}", "model": "usl", "x": n.tolist(), "y": x.tolist(),
                    "params": fit_usl(n, x)})
    x = np.repeat([10.0, 20, 40, 80, 160], 3)
    for name, law, start in (
        ("quadratic-log", lambda x, a, b, c: a + b * np.log(x) + c * np.log(x) ** 2, (1000, 2000, -250)),
        ("saturating", lambda x, a, c, k: a + c * x / (x + k), (2000, 6000, 30)),
        ("power", lambda x, a, b: a * x ** b, (700, 0.4)),
        ("linear-log", lambda x, a, b: a + b * np.log(x), (4000, 300)),
    ):
        y = law(x, *start) * np.exp(0.02 * rng.standard_normal(x.size))
        scale = np.array(start)
        r = optimize.least_squares(lambda p: np.log(law(x, *(p * scale))) - np.log(y), np.ones(len(start)),
                                   xtol=1e-14, ftol=1e-14, gtol=1e-14)
        p = r.x * scale
        out.append({"name": name, "model": name, "x": x.tolist(), "y": y.tolist(),
                    "params": dict(zip({"quadratic-log": "abc", "saturating": "ack"}.get(name, "ab"), p.tolist()))})
        if name == "quadratic-log":
            out[-1]["params"]["peak"] = float(np.exp(-p[1] / 2 / p[2]))
    return out


def tests(rng):
    out = []
    for n, m, shift in ((4, 4, 0.1), (5, 6, 0.02), (8, 8, 0.05), (12, 12, 0.03)):
        a, b = 8 + shift + 0.03 * rng.standard_normal(n), 8 + 0.03 * rng.standard_normal(m)
        row = {"a": a.tolist(), "b": b.tolist(),
               "u": float(stats.mannwhitneyu(a, b, method="exact").pvalue)}
        if n == m:
            row["signed_rank"] = float(stats.wilcoxon(a - b, method="exact").pvalue)
        out.append(row)
    return out


def two_costs(rng):
    h = np.repeat([0.2, 0.4, 0.6, 0.8, 0.9, 0.95], 2)
    x = 1e6 / (h * 70 + (1 - h) * 400) * np.exp(0.02 * rng.standard_normal(h.size))
    r = optimize.least_squares(lambda p: np.log(1e6 / (h * p[0] + (1 - h) * p[1])) - np.log(x), (100, 100),
                               bounds=(0, np.inf), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return {"h": h.tolist(), "x": x.tolist(), "hit_us": r.x[0], "miss_us": r.x[1]}


def surfaces(rng):
    out = []
    for name, law in (
        ("bowl", lambda x: 0.3 - 0.5 * (x[:, 0] - 0.6) ** 2 - 0.3 * (x[:, 1] - 0.35) ** 2),
        ("ridge", lambda x: -0.6 * (x[:, 0] - 0.5) ** 2 - 0.5 * (x[:, 1] - 0.6) ** 2 + 0.5 * (x[:, 0] - 0.5) * (x[:, 1] - 0.5)),
        ("saturating", lambda x: 0.4 * (1 - np.exp(-4 * x[:, 0])) - 0.25 * x[:, 0] ** 2 - 0.6 * (x[:, 1] - 0.45) ** 2),
    ):
        x = stats.qmc.scale(stats.qmc.LatinHypercube(2, seed=rng.integers(1 << 30)).random(40), [0, 0], [1, 1])
        y = law(x) + 0.003 * rng.standard_normal(len(x))
        kernel = ConstantKernel(1.0, (1e-3, 1e3)) * Matern([0.5, 0.5], (0.05, 20), nu=2.5) + WhiteKernel(1e-2, (1e-7, 10))
        gp = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=8, random_state=1).fit(x, y)
        best = None
        for start in x[np.argsort(-gp.predict(x))[:6]]:
            r = optimize.minimize(lambda p: -gp.predict(p[None, :])[0], start, bounds=[(0, 1)] * 2, method="L-BFGS-B")
            if best is None or r.fun < best.fun:
                best = r
        out.append({"name": name, "x": x.tolist(), "y": y.tolist(), "optimum": best.x.tolist(), "value": float(-best.fun)})
    return out


def write(path, data):
    path = ROOT / path
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    rng = np.random.default_rng(7)
    write("analyze/testdata/reference.json", {"curves": curves(rng), "tests": tests(rng), "two_costs": two_costs(rng)})
    write("analyze/surface/testdata/reference.json", surfaces(rng))
