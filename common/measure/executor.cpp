#include "common/measure/executor.hpp"

#include <cstring>

#include "common/backend.hpp"

namespace tallcache {

void Executor::touch_first(const Operation&, const Shape&, std::span<std::byte* const>) {}

void Executor::upload_rows(std::byte* to, const HostRows& from) {
  for (std::size_t i = 0; i < from.rows; ++i)
    std::memcpy(to + i * from.row_bytes, from.data + i * from.pitch, from.row_bytes);
}

void Executor::download_rows(const HostRows& to, const std::byte* from) {
  for (std::size_t i = 0; i < to.rows; ++i)
    std::memcpy(to.data + i * to.pitch, from + i * to.row_bytes, to.row_bytes);
}

void Executor::start(Entry entry, const void* args, const Params& params, const Launch& launch) {
  entry(args, params, launch);
}

std::unique_ptr<Graph> Executor::capture(Entry, const void*, const Params&, const Launch&) {
  throw Error("not started as a graph: its backend has none", Status::unsupported);
}

void Executor::begin_range(const std::string&) {}
void Executor::end_range() {}

std::unique_ptr<Executor> make_executor(std::string_view backend, int device) {
  return find_backend(backend).make_executor(device);
}

}  // namespace tallcache
