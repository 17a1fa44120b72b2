// execute(): any variant of the catalogue on a caller's own arguments, on any backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/catalogue.hpp"
#include "common/measure/executor.hpp"

namespace tallcache {

struct Backend;  // common/backend.hpp

/// Where execute() runs, and which memory the views of its arguments refer to.
struct ExecuteOptions {
  std::string_view backend = "cpu";
  int threads = 1;            ///< of the CPU: the caller and threads - 1 more
  int device = 0;             ///< number of the backend's device
  bool device_views = false;  ///< the views are of the device's memory, not of the host's
  void* stream = nullptr;     ///< with device views: the stream (cudaStream_t) that the work is put into
};

namespace detail {

/// An executor, and memory that is kept from one call to the next.
class Session {
 public:
  explicit Session(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}

  Executor& executor() const { return *executor_; }
  /// Piece `i` of the memory, of at least `bytes`; made anew only when it was smaller or of other pages.
  std::span<std::byte> memory(std::size_t i, std::size_t bytes, Pages pages = Pages::ordinary);

 private:
  struct Piece {
    std::unique_ptr<Memory> memory;
    Pages pages = Pages::ordinary;
  };

  std::unique_ptr<Executor> executor_;
  std::vector<Piece> pieces_;
};

/// Sessions that are kept while no call uses them. The one that has been idle the longest makes room for
/// another.
inline constexpr std::size_t most_idle_sessions = 32;

/// A device of a backend, and a stream of it.
struct DeviceStream {
  const Backend* backend;
  int device;
  std::uint64_t stream;  ///< Backend::stream_id, else the stream's address; 0: none
  friend bool operator==(const DeviceStream&, const DeviceStream&) = default;
};

/// Each concurrent call has a session of its own, which is kept for the next call on the same device and
/// stream: unfinished work of a stream uses the memory before work that is added later.
class SessionLease {
 public:
  explicit SessionLease(const ExecuteOptions& options);
  ~SessionLease();
  SessionLease(const SessionLease&) = delete;
  SessionLease& operator=(const SessionLease&) = delete;

  Session* operator->() const { return session_.get(); }

 private:
  DeviceStream place_;
  std::unique_ptr<Session> session_;
};

/// Throws Error unless `variant` can run there.
void require_runnable(const Variant& variant, const ExecuteOptions& options);

template <class T>
HostRows host_rows(const MatrixView<T>& view) {
  const auto size = [](Index elements) { return static_cast<std::size_t>(elements) * sizeof(T); };
  return {reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(view.data)),
          static_cast<std::size_t>(view.rows), size(view.cols), size(view.ld)};
}

template <class T>
HostRows host_rows(const VectorView<T>& view) {
  return host_rows(MatrixView<T>{view.data, 1, view.size, view.size});
}

template <class T>
void point(MatrixView<T>& view, std::byte* data) {
  view = {reinterpret_cast<T*>(data), view.rows, view.cols, view.cols};
}
template <class T>
void point(VectorView<T>& view, std::byte* data) {
  view = {reinterpret_cast<T*>(data), view.size};
}

/// Calls body(i, spec, host view, device view) for each view of two sets of arguments and its buffer.
template <class Op>
void for_each_view(ArgsOf<Op>& host, ArgsOf<Op>& device, auto&& body) {
  const auto specs = Op::buffers(Op::shape_of(host));
  auto on_host = Op::views(host);
  auto on_device = Op::views(device);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (body(i, specs[i], std::get<i>(on_host), std::get<i>(on_device)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(on_host)>>{});
}

/// Runs all phases of `variant` on arguments that its executor can reach.
template <class Op>
void start(const Variant& variant, ArgsOf<Op> args, const Params& params, const ExecuteOptions& options,
           Session& session, void* stream) {
  const std::size_t bytes = variant.scratch(Op::shape_of(args), params, options.threads);
  args.scratch = Scratch<>(session.memory(0, bytes, variant.scratch_pages).first(bytes));
  for (Entry entry : variant.entries)
    session.executor().start(entry, &args, params, Launch{.threads = options.threads, .stream = stream});
}

/// On a device: operands are copied there, the result is copied back.
template <class Op>
void run_with_copies(const Variant& variant, ArgsOf<Op> args, const Params& params,
                     const ExecuteOptions& options, Session& session) {
  if constexpr (requires { Op::views(args); }) {
    ArgsOf<Op> there = args;
    for_each_view<Op>(args, there, [&](std::size_t i, const BufferSpec& spec, auto& host, auto& device) {
      const HostRows rows = host_rows(host);
      std::byte* const data = session.memory(i + 1, rows.rows * rows.row_bytes).data();
      point(device, data);
      if (spec.role != Role::output) session.executor().upload_rows(data, rows);
    });
    start<Op>(variant, there, params, options, session, session.executor().stream());
    for_each_view<Op>(args, there, [&](std::size_t, const BufferSpec& spec, auto& host, auto& device) {
      if (spec.role != Role::input)
        session.executor().download_rows(host_rows(host), reinterpret_cast<const std::byte*>(device.data));
    });
  } else {
    throw Error(std::string(Op::name) + " has no views that could be copied to a device");
  }
}

}  // namespace detail

/// Runs `variant` on the caller's own arguments after validating them. On the CPU, and with views of the
/// host's memory, it returns when the result is ready. On a GPU such views are copied in and out, and only
/// their elements are accessed. With views of the device's memory the work is added to options.stream,
/// nothing is copied, elements are not validated, and the call does not wait. Scratch and copies are kept: a
/// second call of the same shape allocates none. They are those of the last 32 places and calls side by
/// side that ended, until release_memory(). No string, stream or view of the caller is referred to
/// afterwards. Throws Error when the arguments break the operation's contract, on an unknown name, and on
/// missing threads or devices.
///
///   execute<Matmul<double>>("recursive", {c, a, b}, {{"base", 32}}, {.threads = 2});
///   execute<Matmul<float>>("shared_memory_tiled", {c, a, b}, {}, {.backend = "gpu"});
template <class Op>
void execute(std::string_view variant, typename Op::template Args<Plain> args, const Params& params = {},
             const ExecuteOptions& options = {}) {
  const Variant& chosen = find_variant(operation_of<Op>, variant, options.backend);
  detail::require_runnable(chosen, options);
  if (options.device_views)
    Op::validate(args);
  else
    detail::validate_all<Op>(args);
  const Shape shape = Op::shape_of(args);
  if (!chosen.supports(shape))
    throw Error(std::string(variant) + " does not support " + to_string(operation_of<Op>, shape),
                Status::unsupported);
  const Params complete = complete_params(chosen, params);
  const detail::SessionLease session(options);
  if (options.device_views || session->executor().shares_host_memory())
    detail::start<Op>(chosen, args, complete, options, *session.operator->(), options.stream);
  else
    detail::run_with_copies<Op>(chosen, args, complete, options, *session.operator->());
}

/// Frees what execute() keeps, on every backend and device.
void release_memory();

/// On `threads` threads of the CPU.
template <class Op>
void execute(std::string_view variant, typename Op::template Args<Plain> args, const Params& params,
             int threads) {
  execute<Op>(variant, args, params, ExecuteOptions{.threads = threads});
}

}  // namespace tallcache
