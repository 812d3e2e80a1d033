#include "sgt/data/value_sample.hpp"

#include <algorithm>

#include "sgt/data/draw.hpp"

namespace sgt {

namespace {

constexpr std::uint64_t kPlaces = ~std::uint64_t{1};  // the sequence that chooses places
constexpr std::uint64_t kMostDrawn = (std::uint64_t{1} << 32U) - 1;  // then hardly any has a chance

}  // namespace

ValueSample::ValueSample() {
    latest_.reserve(kHalf);
    earlier_.reserve(kHalf);
}

std::uint64_t ValueSample::place_in_earlier(std::uint64_t taken) {
    const std::uint64_t before = taken - kHalf;
    if (taken < 2 * kHalf || before >= kMostDrawn) return kHalf;
    return ((draw(before, kPlaces) >> 32U) * (before + 1)) >> 32U;
}

std::vector<double> ValueSample::sorted() const {
    std::vector<double> values = latest_;
    values.insert(values.end(), earlier_.begin(), earlier_.end());
    std::sort(values.begin(), values.end());
    return values;
}

double ValueSample::latest_spread() const {
    const auto [least, greatest] = std::minmax_element(latest_.begin(), latest_.end());
    return *greatest - *least;
}

std::size_t ValueSample::values_in(std::uint64_t taken) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(taken, 2 * kHalf));
}

ValueSample ValueSample::restored(std::uint64_t taken, const double* values) {
    ValueSample sample;
    sample.taken_ = taken;
    const std::size_t n = values_in(taken), latest = std::min(n, kHalf);
    sample.latest_.assign(values, values + latest);
    sample.earlier_.assign(values + latest, values + n);
    sample.latest_.reserve(kHalf);
    sample.earlier_.reserve(kHalf);
    return sample;
}

}  // namespace sgt
