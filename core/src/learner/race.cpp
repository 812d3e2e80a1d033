#include "sgt/learner/race.hpp"

#include <stdexcept>
#include <utility>

#include "sgt/clones.hpp"
#include "sgt/loss/logarithm.hpp"

namespace sgt {

namespace {

// A row counts so many times as much with each row after it.
constexpr double kFadeOfRow = 0.999;
constexpr double kFade = [] {
    double fade = 1.0;
    for (std::size_t i = 0; i < Race::kRows; ++i) fade *= kFadeOfRow;
    return fade;
}();

// So many ways together. The first, the value alone, stands by itself, as it did when it was
// written: what is read as it was written need not go through the cache.
constexpr std::size_t kLanes = 4;

SGT_CLONES void subtract_logarithms(const double* likelihoods, std::size_t n, double* losses) {
    losses[0] -= fast_log(likelihoods[0]);
    std::size_t way = 1;
    for (; way + kLanes <= n; way += kLanes) {
        double p[kLanes];
        SGT_LANES for (std::size_t i = 0; i < kLanes; ++i) p[i] = fast_log(likelihoods[way + i]);
        SGT_LANES for (std::size_t i = 0; i < kLanes; ++i) losses[way + i] -= p[i];
    }
    for (; way < n; ++way) losses[way] -= fast_log(likelihoods[way]);
}

}  // namespace

Race::Race(std::size_t n_races, std::size_t n_ways)
    : n_ways_(n_ways),
      sums_(n_races * n_ways, 0.0),
      recent_(n_races * n_ways, 0.0),
      likelihoods_(n_ways, 1.0),
      choices_(n_races, 0) {}

void Race::fade() {
    subtract_logarithms(likelihoods_.data(), n_ways_, recent_.data());
    for (std::size_t race = 0; race < size(); ++race) {
        double* sums = sums_.data() + race * n_ways_;
        const double* recent = recent_.data() + race * n_ways_;
        // Rows with a loss that is not finite say nothing about any way; nor do some that would
        // make a sum so.
        bool are_finite = true;
        for (std::size_t way = 0; way < n_ways_; ++way)
            are_finite = are_finite && std::isfinite(kFade * sums[way] + recent[way]);
        if (are_finite)
            for (std::size_t way = 0; way < n_ways_; ++way)
                sums[way] = kFade * sums[way] + recent[way];
        choices_[race] = static_cast<std::size_t>(std::min_element(sums, sums + n_ways_) - sums);
    }
    std::fill(recent_.begin(), recent_.end(), 0.0);
    std::fill(likelihoods_.begin(), likelihoods_.end(), 1.0);
    rows_ = 0;
}

double* Race::begin_likelihoods() {
    of_row_.assign(n_ways_, 1.0);
    return of_row_.data();
}

void Race::end_likelihoods(double weight) {
    for (std::size_t way = 0; way < n_ways_; ++way) add_likelihood(way, of_row_[way], weight);
}

void Race::restart() {
    *this = Race(size(), n_ways_);
}

void Race::begin_with(const std::vector<double>& losses) {
    std::vector<double> sums;
    for (std::size_t way = 0; way < n_ways_; ++way) {
        sums.push_back(losses[way] / (1.0 - kFadeOfRow));
        if (!std::isfinite(sums.back())) throw std::invalid_argument("losses must be finite");
    }
    restart();
    sums_ = std::move(sums);
    choices_[0] =
        static_cast<std::size_t>(std::min_element(sums_.begin(), sums_.end()) - sums_.begin());
}

void Race::save(Archive& archive, const std::string& prefix) const {
    archive.put(prefix + "sums", sums_);
    archive.put(prefix + "recent", recent_);
    archive.put(prefix + "likelihoods", likelihoods_);
    archive.put<std::int64_t>(prefix + "rows", {static_cast<std::int64_t>(rows_)});
    archive.put(prefix + "choices", std::vector<std::int64_t>(choices_.begin(), choices_.end()));
}

void Race::load(const ArchiveView& archive, const std::string& prefix) {
    sums_ = to_vector(archive.get<double>(prefix + "sums", sums_.size()));
    recent_ = to_vector(archive.get<double>(prefix + "recent", recent_.size()));
    likelihoods_ = to_vector(archive.get<double>(prefix + "likelihoods", n_ways_));
    rows_ = archive.get_count(prefix + "rows");
    const auto choices = archive.get<std::int64_t>(prefix + "choices", size());
    for (std::size_t race = 0; race < size(); ++race) {
        if (choices[race] < 0 || choices[race] >= static_cast<std::int64_t>(n_ways_))
            Archive::fail(prefix + "choices", "names a rate that does not exist");
        choices_[race] = static_cast<std::size_t>(choices[race]);
    }
    if (rows_ >= kRows) Archive::fail(prefix + "rows", "is out of range");
    const auto is_finite = [](double x) { return std::isfinite(x); };
    const auto is_likelihood = [](double p) { return p > 0.0 && p <= 1.0; };
    if (!std::all_of(sums_.begin(), sums_.end(), is_finite))
        Archive::fail(prefix + "sums", "must be finite");
    if (!std::all_of(likelihoods_.begin(), likelihoods_.end(), is_likelihood))
        Archive::fail(prefix + "likelihoods", "must be above 0 and at most 1");
}

}  // namespace sgt
