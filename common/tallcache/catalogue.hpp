// The catalogue: every operation and variant that this build has, and execute(), which runs one of them on
// your own matrices, keys or vectors, on the CPU or on a GPU.
//
//   #include <tallcache/catalogue.hpp>
//   using Matrix = tallcache::MatrixView<double>;  // data, rows, cols, ld
//   const Matrix c{out, m, n, n}, a{left, m, k, k}, b{right, k, n, n};
//   tallcache::execute<tallcache::Matmul<double>>("recursive", {c, a, b});
//
// operations() and variants_of() enumerate the catalogue, find_operation() and find_variant() look up by
// name. An operation's header in detail/common/ops documents its arguments.
#pragma once

#include "common/catalogue.hpp"
#include "common/execute.hpp"
#include "common/ops/alignment.hpp"
#include "common/ops/bfs.hpp"
#include "common/ops/cholesky.hpp"
#include "common/ops/copy.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/counting_sort_in_place.hpp"
#include "common/ops/edit_distance.hpp"
#include "common/ops/fft.hpp"
#include "common/ops/fft_2d.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/ops/fft_real.hpp"
#include "common/ops/fib.hpp"
#include "common/ops/gemv.hpp"
#include "common/ops/grained_transpose.hpp"
#include "common/ops/increment.hpp"
#include "common/ops/integer_product.hpp"
#include "common/ops/lu.hpp"
#include "common/ops/lu_batched.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/matmul_batched.hpp"
#include "common/ops/matmul_bt.hpp"
#include "common/ops/matmul_tf32.hpp"
#include "common/ops/qr.hpp"
#include "common/ops/shortest_paths.hpp"
#include "common/ops/solve.hpp"
#include "common/ops/sort.hpp"
#include "common/ops/stencil.hpp"
#include "common/ops/string_distance.hpp"
#include "common/ops/string_distance_batched.hpp"
#include "common/ops/transitive_closure.hpp"
#include "common/ops/transpose.hpp"
#include "common/span_views.hpp"
#include "common/variant_text.hpp"
