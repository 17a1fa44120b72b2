"""numpy on top of the drop-in BLAS: every product is held against sums of its terms, and reached the library.

Run with LD_PRELOAD. Prints the number of cases; fails on a wrong one, and on one that the library did not compute.
"""
import ctypes
import itertools
import sys

import numpy as np

library = ctypes.CDLL(None)
library.tallcache_blas_calls.restype = ctypes.c_uint64
cases = failures = 0


def check(name, x, y, product=np.matmul, counted=True):
    """`counted`: numpy gives this product to BLAS."""
    global cases, failures
    before = library.tallcache_blas_calls()
    found = product(x, y)
    calls = library.tallcache_blas_calls() - before
    exact = np.einsum("...ik,...kj->...ij", x.astype(np.longdouble), y.astype(np.longdouble))
    size = np.einsum("...ik,...kj->...ij", abs(x).astype(np.longdouble), abs(y).astype(np.longdouble))
    allowed = (x.shape[-1] + 2) * np.finfo(x.dtype).eps * size
    cases += 1
    wrong = found.shape != exact.shape or not (abs(found - exact) <= allowed).all()
    if wrong or (calls > 0) != counted:
        failures += 1
        print(f"{name}: {'wrong' if wrong else 'right'}, {calls} calls", file=sys.stderr)


random = np.random.default_rng(20261122)
layouts = {
    "rows": lambda a: np.ascontiguousarray(a),
    "columns": lambda a: np.asfortranarray(a),
    "part of rows": lambda a: np.pad(a, 3)[3:-3, 3:-3],
    "part of columns": lambda a: np.pad(a.T, 3)[3:-3, 3:-3].T,
    "every second row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every second column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
}
# numpy multiplies matrices without rows or columns of neighbouring elements by a loop of its own, but for np.dot, which
# copies them.
own_loop = {"every second column", "backwards"}
for dtype in (np.float32, np.float64):
    for m, k, n in ((2, 3, 4), (17, 9, 33), (65, 70, 31), (130, 129, 131)):
        a, b = (random.uniform(-1, 1, shape).astype(dtype) for shape in ((m, k), (k, n)))
        for (one, first), (two, second) in itertools.product(layouts.items(), layouts.items()):
            by_blas = own_loop.isdisjoint({one, two})
            check(f"{m} x {k} x {n}, {one}, {two}", first(a), second(b), counted=by_blas)
            check(f"{m} x {k} x {n}, {one}, {two}, dot", first(a), second(b), np.dot)
        for name, of in layouts.items():
            check(f"A A^T, {m} x {k}, {name}", of(a), of(a).T, counted=name not in own_loop)
            check(f"A^T A, {m} x {k}, {name}", of(a).T, of(a), counted=name not in own_loop)
        square = of_view = random.uniform(-1, 1, (m, m)).astype(dtype)
        check("A A^T of a view", square[:, :m], of_view[:, :m].T)
    for shape in ((0, 3, 4), (3, 0, 4), (3, 4, 0)):
        m, k, n = shape
        check(f"empty {shape}", np.zeros((m, k), dtype), np.zeros((k, n), dtype), counted=False)
    check("stacked", random.uniform(-1, 1, (5, 20, 30)).astype(dtype), random.uniform(-1, 1, (5, 30, 10)).astype(dtype))
print(f"{cases} cases, {failures} failed")
sys.exit(failures != 0 or cases < 800)
