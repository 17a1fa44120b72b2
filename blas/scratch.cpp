#include "blas/scratch.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>
#include <new>

#include "common/ceil_div.hpp"
#include "common/of_thread.hpp"

namespace tallcache::blas {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Buffers that no lease of the thread holds, listed in their own first bytes: the list needs no memory.
struct Pool {
  struct Buffer {
    Buffer* next;
    std::size_t size;
  };

  ~Pool() {
    while (first) std::free(take(&first));
  }

  static Buffer* take(Buffer** link) {
    Buffer* const buffer = *link;
    *link = buffer->next;
    return buffer;
  }

  /// The smallest buffer that is large enough; null without one.
  Buffer* take(std::size_t bytes) {
    Buffer** best = nullptr;
    for (Buffer** link = &first; *link; link = &(*link)->next)
      if ((*link)->size >= bytes && (!best || (*link)->size < (*best)->size)) best = link;
    if (!best) return nullptr;
    kept -= (*best)->size;
    return take(best);
  }

  bool keep(std::byte* data, std::size_t size) {
    if (kept + size > kept_bytes) return false;
    first = new (data) Buffer{first, size};
    kept += size;
    return true;
  }

  Buffer* first = nullptr;
  std::size_t kept = 0;
};

}  // namespace

Lease::Lease(std::size_t bytes) noexcept {
  if (bytes == 0 || bytes > std::numeric_limits<std::size_t>::max() - huge_page) return;
  if (Pool* const pool = of_thread<Pool>())
    if (Pool::Buffer* const buffer = pool->take(bytes)) {
      size_ = buffer->size;
      data_ = reinterpret_cast<std::byte*>(buffer);
      return;
    }
  const std::size_t alignment = bytes < huge_page ? 64 : huge_page;
  const std::size_t size = ceil_div(bytes, alignment) * alignment;
  data_ = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  if (!data_) return;
  size_ = size;
  if (alignment == huge_page) madvise(data_, size_, MADV_HUGEPAGE);  // a hint
}

Lease::~Lease() {
  if (!data_) return;
  Pool* const pool = of_thread<Pool>();
  if (!pool || !pool->keep(data_, size_)) std::free(data_);
}

}  // namespace tallcache::blas
