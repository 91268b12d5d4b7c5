// Cooperative groups on the CPU: blocks, tiles of a wave, and lanes that happen to be together. No grids, no clusters.
#pragma once
#include "lanes.h"

namespace cooperative_groups {
#if LANES_AMD
const int widest_tile = LANES_WAVE;
#else
const int widest_tile = 32;
#endif

class thread_block {
 public:
  LANES_INLINE void sync() const { lanes::barrier("thread_block::sync", 0); }
  static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return thread_block(); }

// Lanes of a wave, by their bits: what tiles and coalesced groups have in common. Ranks count the set bits.
class LaneGroup {
 public:
  explicit LaneGroup(unsigned long long members) : members_(members) {}
  unsigned size() const { return static_cast<unsigned>(__popcll(members_)); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return rank_of(lanes::lane()); }
  LANES_INLINE void sync() const { gather("group::sync", "", 1); }
  template <typename T>
  LANES_INLINE T shfl(T value, int rank) const {
    const lanes::Meeting met = gather("group::shfl", &value, sizeof(T));
    return lanes::value_of<T>(met, lane_of(static_cast<unsigned>(rank) % size()));
  }
  template <typename T>
  LANES_INLINE T shfl_up(T value, unsigned delta) const {
    const lanes::Meeting met = gather("group::shfl_up", &value, sizeof(T));
    const unsigned rank = thread_rank();
    return lanes::value_of<T>(met, lane_of(rank < delta ? rank : rank - delta));
  }
  template <typename T>
  LANES_INLINE T shfl_down(T value, unsigned delta) const {
    const lanes::Meeting met = gather("group::shfl_down", &value, sizeof(T));
    const unsigned rank = thread_rank();
    return lanes::value_of<T>(met, lane_of(rank + delta < size() ? rank + delta : rank));
  }
  template <typename T>
  LANES_INLINE T shfl_xor(T value, unsigned bits) const {
    const lanes::Meeting met = gather("group::shfl_xor", &value, sizeof(T));
    const unsigned rank = thread_rank() ^ bits;
    return lanes::value_of<T>(met, lane_of(rank < size() ? rank : thread_rank()));
  }
  LANES_INLINE lanes::LaneBits ballot(int predicate) const {
    const unsigned char value = predicate != 0;
    return by_rank(lanes::ballot_of(gather("group::ballot", &value, 1)));
  }
  LANES_INLINE int any(int predicate) const {
    const unsigned char value = predicate != 0;
    return (lanes::ballot_of(gather("group::any", &value, 1)) & members_) != 0;
  }
  LANES_INLINE int all(int predicate) const {
    const unsigned char value = predicate != 0;
    const lanes::Meeting met = gather("group::all", &value, 1);
    return (lanes::ballot_of(met) & members_) == (met.present & members_);
  }
  template <typename T>
  LANES_INLINE lanes::LaneBits match_any(T value) const {
    return by_rank(lanes::equal_lanes(gather("group::match_any", &value, sizeof(T)), &value, sizeof(T)));
  }
  template <typename T, typename Operation>
  LANES_INLINE T reduced(T value, Operation operation) const {
    lanes::Meeting met = gather("cg::reduce", &value, sizeof(T));
    met.present &= members_;
    return lanes::reduced<T>(met, operation);
  }

 protected:
  unsigned long long members_;

 private:
  LANES_INLINE lanes::Meeting gather(const char* what, const void* value, size_t size) const {
#if LANES_AMD
    return lanes::meet(what, value, size);
#else
    return lanes::meet_masked(what, members_, value, size);
#endif
  }
  unsigned rank_of(int lane) const { return static_cast<unsigned>(__popcll(members_ & ((1ull << lane) - 1))); }
  int lane_of(unsigned rank) const {
    for (int lane = 0; lane < lanes::widest_wave; ++lane)
      if (members_ >> lane & 1 && rank-- == 0) return lane;
    return lanes::lane();
  }
  lanes::LaneBits by_rank(unsigned long long bits) const {
    unsigned long long packed = 0;
    for (int lane = 0; lane < lanes::widest_wave; ++lane)
      if (members_ >> lane & 1 && bits >> lane & 1) packed |= 1ull << rank_of(lane);
    return static_cast<lanes::LaneBits>(packed);
  }
};

template <unsigned Size, typename Parent = thread_block>
class thread_block_tile : public LaneGroup {
  static_assert(Size <= widest_tile && (Size & (Size - 1)) == 0, "a tile has a power of two of lanes, at most a wave");

 public:
  thread_block_tile() : LaneGroup(lanes_of_tile()) {}
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }

 private:
  static unsigned long long lanes_of_tile() {
    const unsigned long long whole = Size == 64 ? ~0ull : (1ull << Size % 64) - 1;
    return whole << (static_cast<unsigned>(lanes::lane()) / Size * Size);
  }
};
template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

class coalesced_group : public LaneGroup {
 public:
  explicit coalesced_group(unsigned long long members) : LaneGroup(members) {}
  static unsigned meta_group_rank() { return 0; }
  static unsigned meta_group_size() { return 1; }
};
LANES_INLINE coalesced_group coalesced_threads() {
  return coalesced_group(lanes::meet("coalesced_threads", "", 1).present);
}

#define LANES_OPERATION(NAME, EXPRESSION)                                  \
  template <typename T>                                                    \
  struct NAME {                                                            \
    T operator()(const T& a, const T& b) const { return EXPRESSION; }      \
  };
LANES_OPERATION(plus, a + b)
LANES_OPERATION(less, a < b ? a : b)
LANES_OPERATION(greater, a < b ? b : a)
#undef LANES_OPERATION
template <typename Group>
LANES_INLINE void sync(const Group& group) {
  group.sync();
}
template <typename Group, typename T, typename Operation>
LANES_INLINE T reduce(const Group& group, T value, Operation operation) {
  return group.reduced(value, operation);
}
}  // namespace cooperative_groups
