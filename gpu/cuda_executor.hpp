// The executor of an NVIDIA GPU, and the times of transfers. No CUDA header is included here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/backend.hpp"

namespace tallcache {

/// The executor of device number `device`. Its memory is the device's, with guard bands. Its seconds are
/// measured by the device between two events, without transfers. Throws Error with the reason when that
/// device cannot be used.
std::unique_ptr<Executor> make_cuda_executor(int device = 0);

/// Backend::stream_id: CUDA's own number of a stream (cudaStream_t), whose address a later stream may get.
std::uint64_t cuda_stream_id(int device, void* stream);

/// The seconds to copy `upload` bytes to the device and `download` bytes back, each a median of `rounds`,
/// started and awaited by the host. Throws Error when there is too little memory on either side.
TransferSeconds transfer_seconds(std::size_t upload, std::size_t download, HostPages, int device = 0,
                                 int rounds = 5);

}  // namespace tallcache
