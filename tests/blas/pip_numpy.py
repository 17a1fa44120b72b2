"""Whether the drop-in BLAS computes the products and the decompositions of a numpy that brings its own BLAS, as numpy
from PyPI does.

Run with LD_PRELOAD=/path/of/libtallcache_blas.so. Prints numpy's version, the BLAS libraries that are loaded, and for
each kind of product or decomposition the number of calls that reached the drop-in BLAS and whether the results are
right, the same for scipy if there is one. Fails on a wrong result and on what it did not compute.
"""
import ctypes
import os
import sys

import numpy as np

library = ctypes.CDLL(None)
try:
    count = library.tallcache_blas_calls
except AttributeError:
    sys.exit("pip_numpy: the drop-in BLAS is not loaded; run with LD_PRELOAD=/path/of/libtallcache_blas.so")
count.restype = ctypes.c_uint64
failures = 0


def check(name, product, x, y):
    global failures
    before = count()
    found = product(x, y)
    calls = count() - before
    exact = np.einsum("ik,kj->ij", x.astype(np.longdouble), y.astype(np.longdouble))
    size = np.einsum("ik,kj->ij", abs(x).astype(np.longdouble), abs(y).astype(np.longdouble))
    right = found.shape == exact.shape and bool(
        (abs(found - exact) <= (x.shape[1] + 2) * np.finfo(x.dtype).eps * size).all())
    failures += not right or calls == 0
    print(f"  {name:28} {x.dtype.name:8} {'x'.join(map(str, (x.shape[0], x.shape[1], y.shape[1]))):12}"
          f" {calls} calls, {'right' if right else 'WRONG'}")


def check_factors(name, calls_at_least, compute, *matrices):
    """compute(*matrices): the left and the right side of an equation, and what rounding errors are relative to."""
    global failures
    before = count()
    left, right_side, size = compute(*matrices)
    calls = count() - before
    n = matrices[0].shape[0]
    right = bool((abs(left - right_side) <= 10 * n * np.finfo(matrices[0].dtype).eps * size).all())
    failures += not right or calls < calls_at_least
    print(f"  {name:28} {matrices[0].dtype.name:8} {n:<12} {calls} calls, {'right' if right else 'WRONG'}")


def long_product(x, y):
    return np.einsum("ik,kj->ij", x.astype(np.longdouble), y.astype(np.longdouble))


def solved(a, b):
    x = np.linalg.solve(a, b)
    return long_product(a, x), b, long_product(abs(a), abs(x)) + abs(b)


def lower_triangle(a):
    factor = np.linalg.cholesky(a)
    return long_product(factor, factor.T), a, abs(a).max()


def orthogonal(a):
    q, r = np.linalg.qr(a)
    return long_product(q, r), a, abs(a).max() * a.shape[0]


def loaded_blas():
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if line.count(" ") >= 5 and "/" in line}
    return sorted(os.path.basename(path) for path in paths if "blas" in os.path.basename(path).lower())


random = np.random.default_rng(20261125)
shapes = ((2, 3, 4), (33, 65, 17), (200, 210, 220), (600, 700, 500))
print(f"numpy {np.__version__}: {np.__file__}")
for dtype in (np.float32, np.float64):
    for m, k, n in shapes:
        a, b = random.uniform(-1, 1, (m, k)).astype(dtype), random.uniform(-1, 1, (k, n)).astype(dtype)
        check("A @ B", np.matmul, a, b)
        check("A @ B, B in columns", np.matmul, a, np.asfortranarray(b))
        check("A @ A.T", lambda x, y: np.matmul(x, x.T), a, a.T)
for dtype in (np.float32, np.float64):
    for n in (5, 70, 300):
        a, b = (random.uniform(-1, 1, (n, n)).astype(dtype) for _ in range(2))
        check_factors("numpy.linalg.solve", 1, solved, a, b)
        check_factors("numpy.linalg.cholesky", 1, lower_triangle, (a @ a.T + n * np.eye(n)).astype(dtype))
        check_factors("numpy.linalg.qr", 2, orthogonal, a)
try:
    import scipy
    from scipy.linalg import blas
except ImportError:
    print("scipy: none")
else:
    print(f"scipy {scipy.__version__}: {scipy.__file__}")
    for dtype, gemm in ((np.float32, blas.sgemm), (np.float64, blas.dgemm)):
        for m, k, n in shapes:
            a, b = random.uniform(-1, 1, (m, k)).astype(dtype), random.uniform(-1, 1, (k, n)).astype(dtype)
            check(f"scipy.linalg.blas.{gemm.__name__}", lambda x, y: gemm(1, x, y), a, b)
print("BLAS libraries:", ", ".join(loaded_blas()))
print(f"{count()} calls in all, {failures} failed")
sys.exit(failures != 0)
