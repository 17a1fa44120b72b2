// Messages of any length: MPI counts in int, and some transports fail above 2 GB.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "common/named.hpp"

namespace tallcache::mpi {

inline constexpr int words_tag = 1, ready_tag = 2;

/// The elements of one message at most: below 2^30 bytes.
inline constexpr Index message_words = (Index{1} << 27) - 1;

inline void receive_words(std::vector<MPI_Request>& requests, MPI_Comm comm, double* to, Index words,
                          Index from) {
  for (Index at = 0; at < words; at += message_words)
    MPI_Irecv(to + at, static_cast<int>(std::min(message_words, words - at)), MPI_DOUBLE,
              static_cast<int>(from), words_tag, comm, &requests.emplace_back());
}

inline void send_words(std::vector<MPI_Request>& requests, MPI_Comm comm, const double* from, Index words,
                       Index to) {
  for (Index at = 0; at < words; at += message_words)
    MPI_Isend(from + at, static_cast<int>(std::min(message_words, words - at)), MPI_DOUBLE,
              static_cast<int>(to), words_tag, comm, &requests.emplace_back());
}

inline void wait_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
}

}  // namespace tallcache::mpi
