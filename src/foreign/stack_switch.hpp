// One thread that goes from one stack to another, and what the sanitizers must be told of it.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define MANYCHAIN_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MANYCHAIN_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define MANYCHAIN_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MANYCHAIN_THREAD_SANITIZER 1
#endif
#endif
#ifdef MANYCHAIN_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef MANYCHAIN_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#ifdef __GLIBC__
/// _longjmp() itself: what _FORTIFY_SOURCE puts in its place takes every jump to a lower address for an error.
extern "C" [[noreturn]] void manychain_plain_longjmp(__jmp_buf_tag* place, int value) noexcept __asm__("_longjmp");
#else
#define manychain_plain_longjmp _longjmp
#endif

namespace manychain {

struct Stack {
  void* begin = nullptr;
  std::size_t size = 0;
};

/// A place in the code of one stack, at which it goes on when another one goes to it.
class Switch {
 public:
  Switch() = default;
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;
  Switch(Switch&&) = delete;
  ~Switch() {
#ifdef MANYCHAIN_THREAD_SANITIZER
    if (fiber_) __tsan_destroy_fiber(fiber_);
#endif
  }

  /// The first time that somebody goes here, enter(argument) is called on that stack. It calls arrived() first, and
  /// never returns.
  void prepare(const Stack& stack, void (*enter)(void*), void* argument) {
    stack_ = stack;
    enter_ = enter;
    argument_ = argument;
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack.begin;
    context_.uc_stack.ss_size = stack.size;
    context_.uc_link = nullptr;
#if !defined(MANYCHAIN_ADDRESS_SANITIZER) && !defined(MANYCHAIN_THREAD_SANITIZER)
    begins_ = true;
#endif
    const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext() passes ints
    makecontext(&context_, reinterpret_cast<void (*)()>(begin), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self & 0xffffffff));
#ifdef MANYCHAIN_THREAD_SANITIZER
    if (fiber_) __tsan_destroy_fiber(fiber_);
    fiber_ = __tsan_create_fiber(0);
#endif
  }

  /// From here to `other`; returns when somebody comes back.
  void to(Switch& other) {
    other.from_ = this;
#ifdef MANYCHAIN_THREAD_SANITIZER
    if (!fiber_) own_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(other.fiber_ ? other.fiber_ : other.own_, 0);
#endif
#ifdef MANYCHAIN_ADDRESS_SANITIZER
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, other.stack_.begin, other.stack_.size);
    swapcontext(&context_, &other.context_);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#elif defined(MANYCHAIN_THREAD_SANITIZER)
    swapcontext(&context_, &other.context_);
#else
    if (_setjmp(place_) == 0) other.go_on();
#endif
  }

  /// On a new stack, before anything else.
  void arrived() {
#ifdef MANYCHAIN_ADDRESS_SANITIZER
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    from_->stack_ = {const_cast<void*>(bottom), size};
#endif
  }

 private:
  static void begin(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<Switch*>(std::uintptr_t{high} << 32 | low);
    self->enter_(self->argument_);
  }

#if !defined(MANYCHAIN_ADDRESS_SANITIZER) && !defined(MANYCHAIN_THREAD_SANITIZER)
  /// Contexts would ask the kernel for the signal mask each time, which takes longer than all else: they are for the
  /// first step onto a stack.
  [[noreturn]] void go_on() {
    if (std::exchange(begins_, false)) setcontext(&context_);
    manychain_plain_longjmp(place_, 1);
  }
  jmp_buf place_;
  bool begins_ = false;
#endif
  ucontext_t context_{};
  Stack stack_;  // of a scheduler known to the address sanitizer alone
  void (*enter_)(void*) = nullptr;
  void* argument_ = nullptr;
  Switch* from_ = nullptr;
#ifdef MANYCHAIN_THREAD_SANITIZER
  void* fiber_ = nullptr;
  void* own_ = nullptr;
#endif
};

}  // namespace manychain
