// The files that commands write. What a user names need not be a regular file, and a file is more than its
// contents.
#pragma once

#include <string>
#include <string_view>

namespace tallcache {

/// Writes `text` to what `path` names, through symbolic links:
///   "-"                 standard output
///   a descriptor        of this process, as /dev/stdout or the /dev/fd/63 of a shell's >(...): where it is
///   a device or a FIFO  into it
///   a regular file      whole, by a temporary file beside it that takes its place, its mode and its owner;
///                       in place where it has several hard links, or where its folder, its owner or a mount
///                       admits no other file
///   nothing so far      whole, by a temporary file
/// A signal that ends the program removes the temporary file. Throws Error, which names `path`, when it
/// cannot be written; what was there then stays, except where it was overwritten in place.
void write_text(const std::string& path, std::string_view text);

/// Throws Error, before anything is measured, when write_text() cannot write there. An empty `path` is no
/// file. Removes temporary files that killed runs left beside it.
void require_writable(const std::string& path);

/// Whether `path` names no regular file: what is written there cannot be replaced by more, and goes there
/// once.
bool is_stream(const std::string& path);

/// Whether `path` names standard output: "-", /dev/stdout, /dev/fd/1.
bool is_standard_output(const std::string& path);

}  // namespace tallcache
