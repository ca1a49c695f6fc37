// Instructions of translated PTX against values worked out by hand from the PTX manual.
#include <cmath>
#include <cstdint>
#include <limits>

#include "cuda_on_host/machine/on_device.hpp"

namespace instructions_test {

using machine::DeviceArray;

// Operands come from memory, so that nvcc computes nothing itself.
#define MANYCHAIN_ASM3(text, type, result, a, b, c) \
  asm volatile(text " %0, %1, %2, %3;" : "=" type(result) : type(a), type(b), type(c))

static __global__ void integers(const std::uint32_t* in, std::uint32_t* out) {
  const std::uint32_t a = in[0], b = in[1], n = in[2];
  int i = 0;
  MANYCHAIN_ASM3("mad.hi.u32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("mad.hi.s32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("mad.lo.u32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("shf.l.wrap.b32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("shf.r.wrap.b32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("shf.l.clamp.b32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("shf.r.clamp.b32", "r", out[i++], a, b, n);
  MANYCHAIN_ASM3("prmt.b32", "r", out[i++], a, b, in[3]);
  MANYCHAIN_ASM3("bfe.u32", "r", out[i++], a, in[4], in[5]);
  MANYCHAIN_ASM3("bfe.s32", "r", out[i++], a, in[4], in[5]);
  asm volatile("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(out[i++]) : "r"(b), "r"(a), "r"(in[4]), "r"(in[5]));
  asm volatile("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(out[i++]) : "r"(a), "r"(b), "r"(in[3]));  // majority
  asm volatile("brev.b32 %0, %1;" : "=r"(out[i++]) : "r"(a));
  asm volatile("clz.b32 %0, %1;" : "=r"(out[i++]) : "r"(b));
  asm volatile("popc.b32 %0, %1;" : "=r"(out[i++]) : "r"(a));
  asm volatile("shl.b32 %0, %1, 32;" : "=r"(out[i++]) : "r"(a));
  asm volatile("shr.s32 %0, %1, 40;" : "=r"(out[i++]) : "r"(a));
  asm volatile("bmsk.clamp.b32 %0, %1, %2;" : "=r"(out[i++]) : "r"(in[4]), "r"(in[5]));
  asm volatile("min.s32 %0, %1, %2;" : "=r"(out[i++]) : "r"(a), "r"(b));
  asm volatile("max.u32 %0, %1, %2;" : "=r"(out[i++]) : "r"(a), "r"(b));
  asm volatile("abs.s32 %0, %1;" : "=r"(out[i++]) : "r"(a));
}

TEST(Instructions, integers) {
  const std::uint32_t a = 0x89abcdefu, b = 0x01234567u;
  const DeviceArray<std::uint32_t> in({a, b, 36, 0x7e51, 8, 12});
  const DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(21));
  integers<<<1, 1>>>(in.data(), out.data());
  const auto got = out.values();
  std::size_t i = 0;
  EXPECT_EQ(got[i++], 0x009ca39du + 36) << "mad.hi.u32";  // 0x89abcdef * 0x01234567 is 0x009ca39dc94e4629
  EXPECT_EQ(got[i++], 0x009ca39du - b + 36) << "mad.hi.s32: a is a - 2^32";
  EXPECT_EQ(got[i++], 0xc94e4629u + 36) << "mad.lo";
  EXPECT_EQ(got[i++], 0x12345678u) << "shf.l.wrap by 4 of b:a";
  EXPECT_EQ(got[i++], 0x789abcdeu) << "shf.r.wrap by 4";
  EXPECT_EQ(got[i++], a) << "shf.l.clamp by 32";
  EXPECT_EQ(got[i++], b) << "shf.r.clamp by 32";
  EXPECT_EQ(got[i++], 0x010045cdu) << "prmt: bytes 7, the sign of 6, 5 and 1";
  EXPECT_EQ(got[i++], 0xbcdu) << "bfe.u32";
  EXPECT_EQ(got[i++], 0xfffffbcdu) << "bfe.s32";
  EXPECT_EQ(got[i++], 0x89a567efu) << "bfi";
  EXPECT_EQ(got[i++], (a & b) | (a & 0x7e51u) | (b & 0x7e51u)) << "lop3";
  EXPECT_EQ(got[i++], 0xf7b3d591u) << "brev";
  EXPECT_EQ(got[i++], 7u) << "clz";
  EXPECT_EQ(got[i++], 20u) << "popc";
  EXPECT_EQ(got[i++], 0u) << "shl by 32";
  EXPECT_EQ(got[i++], 0xffffffffu) << "shr.s32 by 40";
  EXPECT_EQ(got[i++], 0x000fff00u) << "bmsk";
  EXPECT_EQ(got[i++], a) << "min.s32";
  EXPECT_EQ(got[i++], a) << "max.u32";
  EXPECT_EQ(got[i++], 0x76543211u) << "abs.s32";
}

static __global__ void wide(const std::uint64_t* in, std::uint64_t* out) {
  out[0] = __umul64hi(in[0], in[1]);
  out[1] = static_cast<std::uint64_t>(__mul64hi(static_cast<long long>(in[0]), static_cast<long long>(in[1])));
  asm volatile("mul.wide.s32 %0, %1, %2;" : "=l"(out[2]) : "r"(static_cast<int>(in[0])), "r"(static_cast<int>(in[1])));
  asm volatile("div.s64 %0, %1, %2;" : "=l"(out[3]) : "l"(in[0]), "l"(in[1]));
  asm volatile("rem.s64 %0, %1, %2;" : "=l"(out[4]) : "l"(in[0]), "l"(in[1]));
  asm volatile("{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 %0, {hi, lo}; }" : "=l"(out[5]) : "l"(in[2]));
}

TEST(Instructions, wide_integers) {
  const DeviceArray<std::uint64_t> in({~0ull - 6, 3, 0x0123456789abcdefull}), out(std::vector<std::uint64_t>(6));
  wide<<<1, 1>>>(in.data(), out.data());
  const auto got = out.values();
  EXPECT_EQ(got[0], 2u) << "(2^64 - 7) * 3 = 2 * 2^64 + ...";
  EXPECT_EQ(got[1], ~0ull) << "-7 * 3";
  EXPECT_EQ(got[2], static_cast<std::uint64_t>(-21));
  EXPECT_EQ(got[3], static_cast<std::uint64_t>(-2));
  EXPECT_EQ(got[4], static_cast<std::uint64_t>(-1));
  EXPECT_EQ(got[5], 0x89abcdef01234567ull);
}

static __global__ void roundings(const float* in, float* out) {
  const float one = in[0], small = in[1];
  out[0] = __fadd_rn(one, small);
  out[1] = __fadd_rz(one, small);
  out[2] = __fadd_ru(one, small);
  out[3] = __fadd_rd(-one, -small);
  out[4] = __fmaf_rd(one, one, -small);
  out[5] = __fdiv_ru(one, in[2]);
  out[6] = __saturatef(in[2]);
  out[7] = fminf(in[3], in[4]);
  out[8] = fmaxf(in[3], in[4]);
  out[9] = fminf(in[5], one);
  out[10] = rintf(in[6]);
  out[11] = static_cast<float>(__float2int_rz(in[5]));
  out[12] = static_cast<float>(__float2uint_rz(-one));
  out[13] = static_cast<float>(__float2int_rd(in[6]));
}

TEST(Instructions, roundings) {
  const float up = 1 + 0x1p-23f, nan = std::numeric_limits<float>::quiet_NaN();
  const DeviceArray<float> in({1, 0x1p-40f, 3, -0.0f, 0.0f, nan, -2.5f}), out(std::vector<float>(14));
  roundings<<<1, 1>>>(in.data(), out.data());
  const auto got = out.values();
  EXPECT_EQ(got[0], 1);
  EXPECT_EQ(got[1], 1);
  EXPECT_EQ(got[2], up);
  EXPECT_EQ(got[3], -up);
  EXPECT_EQ(got[4], 1 - 0x1p-24f);
  EXPECT_EQ(got[5], 0x1.555556p-2f) << "1/3 upwards";
  EXPECT_EQ(got[6], 1);
  EXPECT_TRUE(std::signbit(got[7])) << "the smaller of -0 and 0";
  EXPECT_FALSE(std::signbit(got[8]));
  EXPECT_EQ(got[9], 1) << "the number beside a NaN";
  EXPECT_EQ(got[10], -2) << "to even";
  EXPECT_EQ(got[11], 0) << "of a NaN";
  EXPECT_EQ(got[12], 0) << "below the smallest";
  EXPECT_EQ(got[13], -3);
}

// The device's functions in double are polynomials over these instructions: within 2 units of the last place, as
// the CUDA programming guide tables them (exp 1, log 1, pow 2, lgamma 4, erfc 5).
static __global__ void functions(const double* x, double* out) {
  const unsigned i = threadIdx.x;
  out[5 * i] = exp(x[i]);
  out[5 * i + 1] = log(x[i]);
  out[5 * i + 2] = pow(x[i], 1.7);
  out[5 * i + 3] = lgamma(x[i]);
  out[5 * i + 4] = erfc(x[i]);
}

TEST(Instructions, functions_of_the_device) {
  std::vector<double> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.0137 + 0.37 * static_cast<double>(i);
  const DeviceArray<double> in(x), out(std::vector<double>(5 * x.size()));
  functions<<<1, 64>>>(in.data(), out.data());
  const auto got = out.values();
  const auto expect = [](double device, double host, double units) {
    EXPECT_NEAR(device, host, (units + 1) * 0x1p-52 * std::fabs(host));  // one for the host's own
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    expect(got[5 * i], std::exp(x[i]), 1);
    expect(got[5 * i + 1], std::log(x[i]), 1);
    expect(got[5 * i + 2], std::pow(x[i], 1.7), 2);
    expect(got[5 * i + 3], std::lgamma(x[i]), 4);
    expect(got[5 * i + 4], std::erfc(x[i]), 5);
  }
}

}  // namespace instructions_test
