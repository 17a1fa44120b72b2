#include "ranks/mpi/redistribute.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "common/fork/parallel.hpp"
#include "cpu/transpose/recursive_streaming.hpp"
#include "ranks/mpi/messages.hpp"

namespace tallcache::mpi {
namespace {

using cpu::transpose::Reuse;
using ranks::Box;
using ranks::Distribution;
using ranks::Rectangle;

struct Strided {
  Index row_stride, col_stride;
};

void copy_lines(double* to, Index to_stride, const double* from, Index from_stride, Index lines,
                Index length) {
  if (to_stride == length && from_stride == length) {
    std::memcpy(to, from, sizeof(double) * static_cast<std::size_t>(lines * length));
    return;
  }
  for (Index line = 0; line < lines; ++line)
    std::memcpy(to + line * to_stride, from + line * from_stride,
                sizeof(double) * static_cast<std::size_t>(length));
}

// Reuse::none writes whole lines past the caches, which is faster where `to` is in none of them.
void transpose_lines(double* to, Index to_ld, const double* from, Index from_ld, Index rows, Index cols,
                     Reuse reuse) {
  namespace transpose = cpu::transpose;
  Serial fork;
  transpose::rec_transpose_streaming(fork, MatrixView<double>{to, cols, rows, to_ld},
                                     MatrixView<const double>{from, rows, cols, from_ld},
                                     transpose::leaf_of(1024, reuse, transpose::fastest_walk()));
}

// rows x cols elements. One stride of each side is 1.
void copy_block(double* to, Strided t, const double* from, Strided f, Index rows, Index cols,
                Reuse reuse = Reuse::expected) {
  if (t.col_stride == 1 && f.col_stride == 1)
    return copy_lines(to, t.row_stride, from, f.row_stride, rows, cols);
  if (t.row_stride == 1 && f.row_stride == 1)
    return copy_lines(to, t.col_stride, from, f.col_stride, cols, rows);
  if (f.col_stride == 1) return transpose_lines(to, t.col_stride, from, f.row_stride, rows, cols, reuse);
  transpose_lines(to, t.row_stride, from, f.col_stride, cols, rows, reuse);
}

Strided in_message(const Box& box, bool by_rows) {
  return by_rows ? Strided{box.cols, 1} : Strided{1, box.rows};
}

Strided strides_of(const Rectangle& r) { return {r.row_stride, r.col_stride}; }

// The sides of the squares that a large rectangle is cut into for the threads. Lines of a square are long
// enough to be streamed, on both sides of a transposition.
constexpr Index piece_side = 256;

template <class Body>
void for_each(int threads, std::size_t count, const Body& body) {
  if (threads == 1 || count < 2) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  run_parallel(threads, [&](auto& fork) {
    fork.loop(0, static_cast<Index>(count), 1, [&](Index i) { body(static_cast<std::size_t>(i)); });
  });
}

// visit(part) for the parts of a rectangle that a thread copies at once.
template <class Visit>
void in_pieces(const Box& box, int threads, const Visit& visit) {
  const Index rows = threads == 1 ? box.rows : piece_side, cols = threads == 1 ? box.cols : piece_side;
  for (Index row = 0; row < box.rows; row += rows)
    for (Index col = 0; col < box.cols; col += cols)
      visit(
          Box{box.row + row, box.col + col, std::min(rows, box.rows - row), std::min(cols, box.cols - col)});
}

}  // namespace

Redistribution::Redistribution(const Distribution& from, const Distribution& to, MPI_Comm comm, int threads,
                               const NodeMemory* source)
    : comm_(comm), threads_(threads), source_(source), session_(make_executor("cpu", 0)) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (from.rows() != to.rows() || from.cols() != to.cols())
    throw Error("redistribution: from " + std::to_string(from.rows()) + " x " + std::to_string(from.cols()) +
                " to " + std::to_string(to.rows()) + " x " + std::to_string(to.cols()));
  if (from.ranks() != size || to.ranks() != size)
    throw Error("redistribution: the distributions are over " + std::to_string(from.ranks()) + " and " +
                std::to_string(to.ranks()) + " ranks, the communicator has " + std::to_string(size));
  sends_.resize(static_cast<std::size_t>(size));
  receives_.resize(static_cast<std::size_t>(size));
  for (const Rectangle& own : from.all())
    if (own.rank == rank)
      to.in(own.box, [&](const Rectangle& there) {
        if (there.rank == rank) return;
        traffic_.words_sent += there.box.size();
        if (!in_place(there.rank)) add(sends_, clip(own, there.box), there, true);
      });
  std::vector<bool> from_rank(static_cast<std::size_t>(size));
  for (const Rectangle& own : to.all())
    if (own.rank == rank)
      from.in(own.box, [&](const Rectangle& there) {
        if (there.rank != rank) {
          traffic_.words_received += there.box.size();
          from_rank[static_cast<std::size_t>(there.rank)] = true;
          if (!in_place(there.rank)) return add(receives_, clip(own, there.box), there, false);
        }
        in_pieces(there.box, threads_, [&](const Box& part) {
          copies_.push_back({clip(there, part), clip(own, part)});
        });
      });
  traffic_.messages_received = std::ranges::count(from_rank, true);
  // Ranks begin at different ones, so that not all read the same memory at once.
  std::ranges::stable_sort(copies_, {},
                           [&](const Copy& copy) { return (copy.from.rank - rank + size) % size; });
  constexpr Index in_cache = Index{1} << 18;  // 2 MiB of doubles, a second-level cache
  reuse_ = to.words(rank) > in_cache ? Reuse::none : Reuse::expected;
  const auto take = [&](std::size_t piece, Index words) {
    const auto count = static_cast<std::size_t>(words);
    return std::span(
        reinterpret_cast<double*>(session_.memory(piece, count * sizeof(double), Pages::huge).data()), count);
  };
  sent_ = take(0, arrange(sends_));
  received_ = take(1, arrange(receives_));
}

std::size_t Redistribution::bytes() const { return (sent_.size() + received_.size()) * sizeof(double); }

// A message's elements stand in the order of the sender's memory, so that it copies whole lines.
void Redistribution::add(std::vector<Message>& messages, const Rectangle& here, const Rectangle& there,
                         bool sends) {
  const Rectangle& sender = sends ? here : there;
  messages[static_cast<std::size_t>(there.rank)].moves.push_back({here, 0, sender.col_stride == 1});
}

// Both sides put the rectangles of a message in the same order. Empty messages are dropped, and a rank begins
// with the one behind it, so that not all write to the same one at once. Returns the words of the buffer.
Index Redistribution::arrange(std::vector<Message>& messages) {
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  Index buffer = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Message& message = messages[i];
    message.rank = static_cast<int>(i);
    std::ranges::sort(message.moves, {},
                      [](const Move& move) { return std::tuple(move.here.box.row, move.here.box.col); });
    for (Move& move : message.moves) {
      move.offset = message.words;
      message.words += move.here.box.size();
    }
    message.offset = buffer;
    if (message.moves.size() == 1) {
      const Move& move = message.moves.front();
      const Strided in = in_message(move.here.box, move.by_rows);
      message.direct = in.row_stride == move.here.row_stride && in.col_stride == move.here.col_stride;
    }
    if (!message.direct) buffer += message.words;
  }
  std::rotate(messages.begin(), messages.begin() + rank, messages.end());
  std::erase_if(messages, [](const Message& message) { return message.words == 0; });
  return buffer;
}

void Redistribution::pack(const Message& message, const double* from) {
  for_each(threads_, message.moves.size(), [&](std::size_t i) {
    const Move& move = message.moves[i];
    const Box& box = move.here.box;
    copy_block(sent_.data() + message.offset + move.offset, in_message(box, move.by_rows),
               from + move.here.offset, strides_of(move.here), box.rows, box.cols);
  });
}

void Redistribution::unpack(const Message& message, double* to) {
  for_each(threads_, message.moves.size(), [&](std::size_t i) {
    const Move& move = message.moves[i];
    const Box& box = move.here.box;
    copy_block(to + move.here.offset, strides_of(move.here), received_.data() + message.offset + move.offset,
               in_message(box, move.by_rows), box.rows, box.cols, reuse_);
  });
}

void Redistribution::run(const double* from, double* to) {
  if (source_) source_->wait_for_neighbours();
  // The requests of each received message; those that are sent stand behind all of them.
  std::vector<std::size_t> message_of;
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    const Message& message = receives_[i];
    double* const at =
        message.direct ? to + message.moves.front().here.offset : received_.data() + message.offset;
    receive_words(requests_, comm_, at, message.words, message.rank);
    message_of.resize(requests_.size(), i);
  }
  for (const Message& message : sends_) {
    if (!message.direct) pack(message, from);
    const double* const at =
        message.direct ? from + message.moves.front().here.offset : sent_.data() + message.offset;
    send_words(requests_, comm_, at, message.words, message.rank);
  }
  for_each(threads_, copies_.size(), [&](std::size_t i) {
    const auto& [there, here] = copies_[i];
    const double* const source = in_place(there.rank) ? source_->of(there.rank) : from;
    copy_block(to + here.offset, strides_of(here), source + there.offset, strides_of(there), here.box.rows,
               here.box.cols, reuse_);
  });
  std::vector<Index> left(receives_.size(), 0);
  for (std::size_t i : message_of) ++left[i];
  for (std::size_t done = 0; done < message_of.size(); ++done) {
    int which = 0;
    MPI_Waitany(static_cast<int>(message_of.size()), requests_.data(), &which, MPI_STATUS_IGNORE);
    const std::size_t i = message_of[static_cast<std::size_t>(which)];
    if (--left[i] == 0 && !receives_[i].direct) unpack(receives_[i], to);
  }
  wait_all(requests_);
  if (source_) source_->wait_for_neighbours();
}

}  // namespace tallcache::mpi
