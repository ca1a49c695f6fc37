// Prints the best of the instruction sets that manychain knows and that this machine runs.
#include <cstdio>

int main() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  const bool fma = __builtin_cpu_supports("fma");
  if (avx512 && fma && __builtin_cpu_supports("bmi2")) {
    std::puts("avx512");
  } else if (__builtin_cpu_supports("avx2") && fma) {
    std::puts("avx2");
  } else {
    std::puts("sse2");
  }
#else
  std::puts("generic");
#endif
}
