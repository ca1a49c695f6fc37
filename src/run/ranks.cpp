#include "run/ranks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "run/ended_early.hpp"

namespace manychain {
namespace {

/// The classes of errors that every rank throws as the first one did.
enum class Failure : std::uint32_t { none, other_rank, bad_input, out_of_memory, device, ended_early, sampling, error };

struct Said {
  Failure failure = Failure::none;
  DeviceProblem problem = DeviceProblem::other;
  std::string sentence;
};

Said what_was_thrown() {
  try {
    throw;
  } catch (const OtherRankFailed&) {
    return {Failure::other_rank, {}, {}};
  } catch (const OutOfMemory& error) {
    return {Failure::out_of_memory, {}, error.what()};
  } catch (const BadInput& error) {
    return {Failure::bad_input, {}, error.what()};
  } catch (const DeviceError& error) {
    return {Failure::device, error.problem, error.what()};
  } catch (const EndedEarly& error) {
    return {Failure::ended_early, {}, error.what()};
  } catch (const SamplingFailed& error) {
    return {Failure::sampling, {}, error.what()};
  } catch (const std::exception& error) {
    return {Failure::error, {}, error.what()};
  } catch (...) {
    return {Failure::error, {}, "an exception that is no std::exception"};
  }
}

[[noreturn]] void throw_as(const Said& said) {
  switch (said.failure) {
    case Failure::out_of_memory:
      throw OutOfMemory(said.sentence);
    case Failure::bad_input:
      throw BadInput(said.sentence);
    case Failure::device:
      throw DeviceError(said.problem, said.sentence);
    case Failure::ended_early:
      throw EndedEarly(said.sentence);
    case Failure::sampling:
      throw SamplingFailed(said.sentence);
    default:
      throw Error(said.sentence);
  }
}

std::size_t total(const std::vector<std::size_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

}  // namespace

std::vector<Ranks::Head> Ranks::heads(const Head& mine) {
  std::vector<Head> all(static_cast<std::size_t>(size_));
  const std::vector<std::size_t> bytes(all.size(), sizeof(Head));
  gather_bytes(reinterpret_cast<const std::byte*>(&mine), reinterpret_cast<std::byte*>(all.data()), bytes);
  count_gathered(bytes);
  for (const Head& head : all)
    if (head.failed) throw OtherRankFailed();
  for (const Head& head : all)
    if (head.call != mine.call || head.bytes != mine.bytes)
      throw Error("the ranks of a run do different things: are model, data and settings those of all ranks?");
  return all;
}

void Ranks::count_gathered(const std::vector<std::size_t>& bytes) {
  ++traffic_.calls;
  traffic_.received += total(bytes) - bytes[static_cast<std::size_t>(rank_)];
}

void Ranks::gather(const void* mine, void* all, const std::vector<std::size_t>& bytes) {
  if (before_call_) before_call_();
  Head head;
  head.call = calls_++;
  head.bytes = total(bytes);
  const bool small = *std::max_element(bytes.begin(), bytes.end()) <= sizeof head.piece;
  if (small && bytes[static_cast<std::size_t>(rank_)] > 0)
    std::memcpy(head.piece, mine, bytes[static_cast<std::size_t>(rank_)]);
  const std::vector<Head> got = heads(head);
  auto* to = static_cast<std::byte*>(all);
  if (!small) {
    gather_bytes(static_cast<const std::byte*>(mine), to, bytes);
    return count_gathered(bytes);
  }
  for (std::size_t r = 0; r < got.size(); ++r) {
    std::copy_n(got[r].piece, bytes[r], to);
    to += bytes[r];
  }
}

void Ranks::exchange(const void* to, const std::vector<std::size_t>& sent, void* from,
                     const std::vector<std::size_t>& received) {
  if (before_call_) before_call_();
  Head head;
  head.call = calls_++;
  heads(head);
  exchange_bytes(static_cast<const std::byte*>(to), sent, static_cast<std::byte*>(from), received);
  count_gathered(received);
}

std::uint64_t Ranks::sum(std::uint64_t mine) {
  const std::vector<std::uint64_t> all = each(mine);
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

std::vector<std::string> Ranks::texts(const std::string& mine) {
  const std::vector<std::size_t> lengths = each(mine.size());
  std::string all(total(lengths), '\0');
  gather(mine.data(), all.data(), lengths);
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    texts.push_back(all.substr(at, length));
    at += length;
  }
  return texts;
}

void Ranks::fail() {
  Head head;
  head.failed = 1;
  try {
    heads(head);
  } catch (const OtherRankFailed&) {
    // as it must be: this one, at least
  }
}

void Ranks::together(const std::function<void()>& work) {
  Said mine;
  std::exception_ptr thrown;
  try {
    work();
    each(std::uint32_t{0});  // the others have come as far
    return;
  } catch (...) {
    thrown = std::current_exception();
    mine = what_was_thrown();
  }
  if (mine.failure != Failure::other_rank) fail();
  // All ranks are here, and none has anything else to say. Calls are counted from anew: they failed in different ones.
  calls_ = 0;
  struct Kind {
    Failure failure;
    DeviceProblem problem;
  };
  const std::vector<Kind> kinds = each(Kind{mine.failure, mine.problem});
  const std::vector<std::string> sentences = texts(mine.sentence);
  for (std::size_t r = 0; r < kinds.size(); ++r) {
    if (kinds[r].failure == Failure::other_rank) continue;
    if (kinds[r].failure == mine.failure && sentences[r] == mine.sentence) std::rethrow_exception(thrown);
    throw_as({kinds[r].failure, kinds[r].problem, sentences[r]});
  }
  throw Error("the ranks of a run have lost each other");
}

}  // namespace manychain
