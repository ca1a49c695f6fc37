#include "runtime/launch.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "runtime/block_order.hpp"
#include "runtime/races.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__)
#error "the switch between stacks is written for x86-64"
#endif

// fiber_switch(from, to): keeps the registers that a call must keep on this stack, notes where in *from, and goes on
// with those on the stack `to`.
extern "C" void manychain_fiber_switch(void** from, void* to);
asm(R"(
.text
.globl manychain_fiber_switch
.type manychain_fiber_switch,@function
manychain_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size manychain_fiber_switch,.-manychain_fiber_switch
)");

namespace ptx {

namespace {

constexpr std::size_t stack_bytes = 256 << 10, page = 4096;
std::atomic<const char*> kernel_in_progress{""};
BlockOrder block_order = BlockOrder::forwards;

void* mapped(std::size_t bytes, int flags) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("CUDA on the host: mmap");
    std::abort();
  }
  return memory;
}

/// A thread of the host that runs blocks, with the stacks of their threads and their shared memory.
class Runner {
 public:
  static Runner& here() {
    static thread_local Runner runner;
    return runner;
  }

  void run(const Kernel& kernel, Block& block, const std::uint8_t* parameters, std::size_t dynamic_shared_bytes) {
    const std::uint32_t count = block.threads[0] * block.threads[1] * block.threads[2];
    const std::size_t fixed = (kernel.shared_bytes + 127) / 128 * 128, bytes = fixed + dynamic_shared_bytes;
    // At the end of the mapping: what lies beyond faults.
    block.shared = address_of(shared_) + shared_limit - (bytes + 127) / 128 * 128;
    block.dynamic_shared = block.shared + fixed;
    block.shared_end = block.shared + bytes;
    fill_unknown(reinterpret_cast<void*>(block.shared), bytes);
    if (bytes > 0) races_.begin(bytes, count);
    block.races = bytes > 0 ? &races_ : nullptr;
    block.running = count;
    block.votes[0] = 1;
    block.warps.assign((count + 31) / 32, Warp());
    threads_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t x = block.threads[0], y = block.threads[1];
      threads_.push_back(Thread{&block, {i % x, i / x % y, i / (x * y)}, i});
      block.warps[i / 32].threads |= 1u << (i % 32);
    }
    if (kernel.waits)
      run_in_turn(kernel, block, parameters);
    else
      for (Thread& thread : threads_) kernel.run(thread, parameters);
  }

  void leave(Thread& thread) { switch_to_scheduler(thread); }
  void note_progress() { progress_ = true; }

 private:
  void run_in_turn(const Kernel& kernel, Block& block, const std::uint8_t* parameters) {
    if (!stacks_) stacks_ = static_cast<std::byte*>(mapped(thread_limit * stack_bytes, MAP_NORESERVE));
    kernel_ = &kernel, parameters_ = parameters;
    for (Thread& thread : threads_) prepare(thread);
    while (block.running > 0) {
      progress_ = false;
      for (Thread& thread : threads_)
        if (!thread.done) resume(thread);
      if (!progress_) threads_.front().fault("threads wait for each other for ever");
    }
  }

  std::byte* stack_of(const Thread& thread) const { return stacks_ + thread.linear * stack_bytes; }

  /// As if the thread had left by a switch at the first instruction of enter().
  void prepare(Thread& thread) {
    void** top = reinterpret_cast<void**>(stack_of(thread) + stack_bytes - 64);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(&Runner::enter);
    for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
    thread.stack = top;
  }
  static void enter() {
    Runner& runner = here();
    Thread& self = *runner.self_;
    runner.arrived();
    runner.kernel_->run(self, runner.parameters_);
    self.done = true;
    self.warp().exited |= 1u << self.lane();
    --self.block->running;
    runner.note_progress();
    runner.switch_to_scheduler(self);
  }

#if defined(__SANITIZE_ADDRESS__)
  void arrived() { __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom_, &scheduler_bytes_); }
  void resume(Thread& thread) {
    void* mine = nullptr;
    self_ = &thread;
    __sanitizer_start_switch_fiber(&mine, stack_of(thread), stack_bytes);
    manychain_fiber_switch(&scheduler_, thread.stack);
    __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
  }
  void switch_to_scheduler(Thread& thread) {
    void* mine = nullptr;
    __sanitizer_start_switch_fiber(thread.done ? nullptr : &mine, scheduler_bottom_, scheduler_bytes_);
    manychain_fiber_switch(&thread.stack, scheduler_);
    __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
  }
  const void* scheduler_bottom_ = nullptr;
  std::size_t scheduler_bytes_ = 0;
#else
  void arrived() {}
  void resume(Thread& thread) {
    self_ = &thread;
    manychain_fiber_switch(&scheduler_, thread.stack);
  }
  void switch_to_scheduler(Thread& thread) { manychain_fiber_switch(&thread.stack, scheduler_); }
#endif

  // Addresses of shared memory have 32 bits.
  std::byte* shared_ = [] {
    auto* const memory = static_cast<std::byte*>(mapped(shared_limit + page, MAP_32BIT));
    mprotect(memory + shared_limit, page, PROT_NONE);
    return memory;
  }();
  std::byte* stacks_ = nullptr;
  void* scheduler_ = nullptr;
  Thread* self_ = nullptr;
  const Kernel* kernel_ = nullptr;
  const std::uint8_t* parameters_ = nullptr;
  bool progress_ = false;
  std::vector<Thread> threads_;
  SharedRaces races_;
};

/// The linear index of the block that begins `turn` others after the first.
std::uint64_t block_of_turn(std::uint64_t turn, std::uint64_t count) {
  constexpr std::uint64_t prime = 2654435761;  // larger than any grid
  switch (block_order) {
    case BlockOrder::backwards:
      return count - 1 - turn;
    case BlockOrder::scattered:
      return turn * prime % count;
    case BlockOrder::forwards:
      break;
  }
  return turn;
}

}  // namespace

const char* running_kernel() { return kernel_in_progress; }
void yield(Thread& thread) { Runner::here().leave(thread); }
void note_progress() { Runner::here().note_progress(); }
void set_block_order(BlockOrder order) { block_order = order; }

// Blocks begin in their order: those that wait for one before them, as in CUB's scans, wait for one that runs.
void launch(const Kernel& kernel, const std::uint32_t (&blocks)[3], const std::uint32_t (&threads)[3],
            const std::uint8_t* parameters, std::size_t dynamic_shared_bytes) {
  kernel_in_progress = kernel.name.c_str();
  const std::uint64_t count = std::uint64_t{blocks[0]} * blocks[1] * blocks[2];
#pragma omp parallel for schedule(monotonic : dynamic, 1) if (count > 1 && block_order == BlockOrder::forwards)
  for (std::uint64_t turn = 0; turn < count; ++turn) {
    const std::uint64_t i = block_of_turn(turn, count);
    Block block{};
    for (int k = 0; k < 3; ++k) block.threads[k] = threads[k], block.blocks[k] = blocks[k];
    block.index[0] = static_cast<std::uint32_t>(i % blocks[0]);
    block.index[1] = static_cast<std::uint32_t>(i / blocks[0] % blocks[1]);
    block.index[2] = static_cast<std::uint32_t>(i / blocks[0] / blocks[1]);
    Runner::here().run(kernel, block, parameters, dynamic_shared_bytes);
  }
}

}  // namespace ptx
