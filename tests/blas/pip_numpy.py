"""Whether the drop-in BLAS computes the products of a numpy that brings its own BLAS, as numpy from PyPI does.

Run with LD_PRELOAD=/path/of/libtallcache_blas.so. Prints numpy's version, the BLAS libraries that are loaded, and for
each kind of product the number of calls that reached the drop-in BLAS and whether the results are right, the same for
scipy if there is one. Fails on a wrong result and on a product that it did not compute.
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
