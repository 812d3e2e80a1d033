#include "sgt/drift/page_hinkley.hpp"

#include <stdexcept>
#include <utility>

namespace sgt {

PageHinkley::PageHinkley(const Options& options) : options_(options) {
    if (!(std::isfinite(options.tolerance) && options.tolerance >= 0.0))
        throw std::invalid_argument(
            "Page-Hinkley's tolerance must be a finite number of at least 0");
    if (!(std::isfinite(options.threshold) && options.threshold > 0.0))
        throw std::invalid_argument("Page-Hinkley's threshold must be a finite number above 0");
    if (!(options.fading > 0.0 && options.fading <= 1.0))
        throw std::invalid_argument("Page-Hinkley's fading must be above 0 and at most 1");
}

void PageHinkley::start_anew() {
    const std::uint64_t before = n_at_least_, after = n_ - before;
    const auto mean = [](double sum, std::uint64_t n) {
        return n == 0 ? 0.0 : sum / static_cast<double>(n);
    };
    change_ = {mean(sum_at_least_, before), mean(sum_ - sum_at_least_, after), before, after};
    const MeanChange change = change_;
    *this = PageHinkley(options_);
    change_ = change;
}

void PageHinkley::save(Archive& archive, const std::string& prefix) const {
    archive.put<std::int64_t>(
        prefix + "counts", {static_cast<std::int64_t>(n_), static_cast<std::int64_t>(n_at_least_),
                            static_cast<std::int64_t>(change_.inputs_before),
                            static_cast<std::int64_t>(change_.inputs_after)});
    archive.put<double>(prefix + "sums", {mean_, sum_, excess_, least_, sum_at_least_,
                                          change_.before, change_.after});
}

void PageHinkley::load(const ArchiveView& archive, const std::string& prefix) {
    ArrayReader<std::int64_t> counts(archive, prefix + "counts");
    const auto count = [&] { return to_count(counts.next(), prefix + "counts"); };
    PageHinkley loaded(options_);
    loaded.n_ = count();
    loaded.n_at_least_ = count();
    loaded.change_.inputs_before = count();
    loaded.change_.inputs_after = count();
    counts.finish();
    if (loaded.n_at_least_ > loaded.n_) Archive::fail(prefix + "counts", "is out of range");
    const auto sums = archive.get<double>(prefix + "sums", 7);
    for (const double x : sums)
        if (!std::isfinite(x)) Archive::fail(prefix + "sums", "is not finite");
    loaded.mean_ = sums[0];
    loaded.sum_ = sums[1];
    loaded.excess_ = sums[2];
    loaded.least_ = sums[3];
    loaded.sum_at_least_ = sums[4];
    loaded.change_.before = sums[5];
    loaded.change_.after = sums[6];
    *this = std::move(loaded);
}

}  // namespace sgt
