// The one place for macros.
#pragma once

// Nothing is inlined by force: tests of numbers compile faster, and sanitizers take minutes for one large function.
#if defined(MANYCHAIN_PLAIN_CALLS)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MANYCHAIN_PLAIN_CALLS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MANYCHAIN_PLAIN_CALLS
#endif
#endif

// Chain code is written once and compiled by g++ (packs) and by nvcc (threads). It must be inlined as a whole: only
// then do adjoints and state live in registers.
#if defined(__CUDACC__)
#if defined(__CUDA_ARCH__)
#define MANYCHAIN_HD __host__ __device__ __forceinline__
#else
#define MANYCHAIN_HD __host__ __device__ inline  // units of nvcc run no chain on the host
#endif
#define MANYCHAIN_HD_CALLED MANYCHAIN_HD
#define MANYCHAIN_LAMBDA
#if defined(__CUDA_ARCH__)
#define MANYCHAIN_UNROLL _Pragma("unroll")
#define MANYCHAIN_ROLLED _Pragma("unroll 1")  // copies of the body would hold registers
#else
#define MANYCHAIN_UNROLL  // nvcc's host pass knows neither pragma
#define MANYCHAIN_ROLLED
#endif
#elif defined(MANYCHAIN_CHECKED) || defined(MANYCHAIN_PLAIN_CALLS)
#define MANYCHAIN_HD inline  // it runs once, or for tests alone: compiled fast
#define MANYCHAIN_HD_CALLED MANYCHAIN_HD
#define MANYCHAIN_LAMBDA
#define MANYCHAIN_UNROLL
#define MANYCHAIN_ROLLED
#else
#define MANYCHAIN_HD [[gnu::always_inline]] inline
#define MANYCHAIN_HD_CALLED [[gnu::noinline]] inline  // a long loop of its own, compiled once and not for each call
// Stands behind the parameters of a lambda that is a density. GCC 12 leaves some of them out of its flattening, and
// what nobody asks for, such as the value beside a gradient, is then computed (item response, 501 parameters: 2.4 times
// as slow).
#define MANYCHAIN_LAMBDA __attribute__((always_inline))
#define MANYCHAIN_UNROLL _Pragma("GCC unroll 32")
#define MANYCHAIN_ROLLED
#endif
#if defined(MANYCHAIN_PLAIN_CALLS)
#define MANYCHAIN_FLATTEN
#else
#define MANYCHAIN_FLATTEN [[gnu::flatten]]  // what is called there is inlined, and what that calls
#endif

// Everything that chain code instantiates lives in an inline namespace named after the instruction set it is compiled
// for, so that the linker never takes an AVX-512 body for a unit that was compiled without. A unit that defines
// MANYCHAIN_CHECKED checks every index and every size (model/data/checks.hpp) and runs no chains.
#if defined(MANYCHAIN_CHECKED)
#define MANYCHAIN_ISA checked
#elif defined(__CUDACC__)
#define MANYCHAIN_ISA cuda
#elif defined(__AVX512F__) && defined(__AVX512DQ__)
#define MANYCHAIN_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define MANYCHAIN_ISA avx2
#else
#define MANYCHAIN_ISA baseline
#endif

#define MANYCHAIN_STRINGIFY_(x) #x
#define MANYCHAIN_STRINGIFY(x) MANYCHAIN_STRINGIFY_(x)
#define MANYCHAIN_ISA_NAME MANYCHAIN_STRINGIFY(MANYCHAIN_ISA)
