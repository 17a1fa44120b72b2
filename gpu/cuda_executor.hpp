// The executor of an NVIDIA GPU, and what moving data to it and back takes. No CUDA header here.
#pragma once

#include <cstddef>
#include <memory>

#include "common/measure/executor.hpp"

namespace tallcache {

/// The executor of device number `device`. Its memory is the device's, with guard bands; its seconds are the
/// device's own between two events, without transfers. Throws Error with the reason when that device cannot
/// be used.
std::unique_ptr<Executor> make_cuda_executor(int device = 0);

/// Where the host's side of a transfer lies: in pages that the device reads by itself, or in ordinary ones
/// that the driver copies first.
enum class HostPages { pinned, pageable };

struct TransferSeconds {
  double upload = 0, download = 0;
};

/// Seconds to copy `upload` bytes to the device and `download` bytes back, each a median of `rounds`, started
/// and awaited from the host. Throws Error when there is too little memory on either side.
TransferSeconds transfer_seconds(std::size_t upload, std::size_t download, HostPages, int device = 0,
                                 int rounds = 5);

}  // namespace tallcache
