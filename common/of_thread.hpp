// Objects of a thread's own.
#pragma once

#include <pthread.h>

#include <new>

namespace tallcache {

/// The T of the calling thread, made at its first call and deleted when it ends; nullptr where memory for it
/// cannot be had. A thread_local object with a destructor would end the program there.
template <class T>
T* of_thread() noexcept {
  struct Key {
    Key() : made(pthread_key_create(&key, [](void* object) { delete static_cast<T*>(object); }) == 0) {}
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
