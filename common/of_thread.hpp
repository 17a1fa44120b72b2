// Objects of a thread's own.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <new>

namespace tallcache {
namespace detail {
/// The library that this is compiled into stays, as the destructors of its keys run when threads end.
inline void stay_loaded() noexcept {
  static const char here = 0;
  Dl_info library;
  if (dladdr(&here, &library) != 0) dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
}  // namespace detail

/// The T of the calling thread, made at its first call and deleted when it ends; nullptr where memory for it
/// cannot be had. A thread_local object with a destructor would end the program there.
template <class T>
T* of_thread() noexcept {
  struct Key {
    Key() : made(pthread_key_create(&key, [](void* object) { delete static_cast<T*>(object); }) == 0) {
      detail::stay_loaded();
    }
    pthread_key_t key;
    bool made;
  };
  static const Key key;
  if (!key.made) return nullptr;
  if (void* const mine = pthread_getspecific(key.key)) return static_cast<T*>(mine);
  T* const mine = new (std::nothrow) T;
  if (!mine || pthread_setspecific(key.key, mine) == 0) return mine;
  delete mine;
  return nullptr;
}

}  // namespace tallcache
