#include "sgt/drift/adwin.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sgt/loss/logarithm.hpp"

namespace sgt {

namespace {

// More buckets than any number of inputs needs.
constexpr std::size_t kMostLevels = 56;

}  // namespace

Adwin::Adwin(double delta, std::size_t bucket_inputs, std::size_t test_inputs)
    : delta_(delta), bucket_inputs_(bucket_inputs), test_inputs_(test_inputs) {
    if (!(delta > 0.0 && delta < 1.0))
        throw std::invalid_argument("ADWIN's delta must be above 0 and below 1");
    if (bucket_inputs < 1 || bucket_inputs > 1024)
        throw std::invalid_argument("ADWIN's buckets must have from 1 to 1024 inputs");
    if (test_inputs < 1) throw std::invalid_argument("ADWIN must test at every input, or later");
}

double Adwin::mean() const {
    return size_ == 0 ? 0.0 : whole().sum / static_cast<double>(size_);
}

bool Adwin::add_newest() {
    since_test_ += n_newest_;
    newest_.squares -= newest_.sum * newest_.sum / static_cast<double>(n_newest_);
    newest_.squares = std::max(newest_.squares, 0.0);
    insert(std::exchange(newest_, {}));
    n_newest_ = 0;
    if (since_test_ < test_inputs_) return false;
    since_test_ = 0;
    const Whole before = whole();
    Whole now = before;
    while (must_be_cut(now)) {
        drop_oldest();
        now = whole();
    }
    if (now.n == before.n) return false;
    const std::uint64_t dropped = before.n - now.n;
    change_ = {(before.sum - now.sum) / static_cast<double>(dropped),
               now.sum / static_cast<double>(now.n), dropped, now.n};
    return true;
}

// The levels' sums are kept, as most of them stay the same between two tests.
void Adwin::Level::add_up() {
    all = {};
    for (std::size_t i = 0; i < n; ++i) {
        all.sum += buckets[i].sum;
        all.squares += buckets[i].squares;
    }
}

void Adwin::Level::drop(std::size_t n_oldest) {
    n -= n_oldest;
    std::copy_n(buckets.begin() + static_cast<std::ptrdiff_t>(n_oldest), n, buckets.begin());
    add_up();
}

// A level with one bucket too many gives its two oldest, as one, to the next.
void Adwin::insert(Bucket bucket) {
    size_ += bucket_inputs_;
    for (std::size_t level = 0;; ++level) {
        if (level == levels_.size()) levels_.emplace_back();
        Level& of_size = levels_[level];
        of_size.buckets[of_size.n++] = bucket;
        if (of_size.n <= kBucketsOfSize) return of_size.add_up();
        bucket = joined(of_size.buckets[0], of_size.buckets[1], inputs_of_bucket(level));
        of_size.drop(2);
    }
}

Adwin::Bucket Adwin::joined(const Bucket& older, const Bucket& newer, std::uint64_t n_each) {
    const double distance = older.sum - newer.sum;
    return {older.sum + newer.sum, older.squares + newer.squares +
                                       distance * distance / (2.0 * static_cast<double>(n_each))};
}

Adwin::Whole Adwin::whole() const {
    Whole all;
    all.n = size_;
    for (const Level& level : levels_) {
        all.sum += level.all.sum;
        all.squares += level.all.squares;
    }
    if (size_ == 0) return all;
    const double mean = all.sum / static_cast<double>(size_);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const auto inputs = static_cast<double>(inputs_of_bucket(level));
        double squares = 0.0;
        for (std::size_t i = 0; i < levels_[level].n; ++i) {
            const double distance = levels_[level].buckets[i].sum - inputs * mean;
            squares += distance * distance;
        }
        all.squares += squares / inputs;
    }
    return all;
}

bool Adwin::must_be_cut(const Whole& whole) const {
    if (whole.n < 2 * kSmallestPart) return false;
    const auto n = static_cast<double>(whole.n);
    const double log_term = fast_log(2.0 * fast_log(n) / delta_);
    // The bound, times n0 n1: without its square root, and without a division for each bucket.
    const double of_variance = 2.0 * whole.squares * log_term;
    const double of_range = 2.0 / 3.0 * log_term * n;
    std::uint64_t older = 0;
    double sum_above = 0.0;  // of the levels above
    for (std::size_t level = levels_.size(); level-- > 0; sum_above += levels_[level].all.sum) {
        double sum_here = 0.0;
        for (std::size_t i = 0; i < levels_[level].n; ++i) {
            older += inputs_of_bucket(level);
            sum_here += levels_[level].buckets[i].sum;
            const double sum = sum_above + sum_here;
            if (older < kSmallestPart) continue;
            if (whole.n - older < kSmallestPart) return false;
            const auto n0 = static_cast<double>(older), n1 = n - n0;
            const double beyond = std::fabs(sum * n1 - (whole.sum - sum) * n0) - of_range;
            if (beyond >= 0.0 && beyond * beyond >= of_variance * n0 * n1) return true;
        }
    }
    return false;
}

void Adwin::drop_oldest() {
    Level& oldest = levels_.back();
    size_ -= inputs_of_bucket(levels_.size() - 1);
    oldest.drop(1);
    while (!levels_.empty() && levels_.back().n == 0) levels_.pop_back();
}

void Adwin::save(Archive& archive, const std::string& prefix) const {
    std::vector<std::int64_t> counts{static_cast<std::int64_t>(n_newest_),
                                     static_cast<std::int64_t>(since_test_),
                                     static_cast<std::int64_t>(change_.inputs_before),
                                     static_cast<std::int64_t>(change_.inputs_after)};
    std::vector<double> sums{newest_.sum, newest_.squares, change_.before, change_.after};
    for (const Level& level : levels_) {
        counts.push_back(static_cast<std::int64_t>(level.n));
        for (std::size_t i = 0; i < level.n; ++i) {
            sums.push_back(level.buckets[i].sum);
            sums.push_back(level.buckets[i].squares);
        }
    }
    archive.put(prefix + "counts", std::move(counts));
    archive.put(prefix + "sums", std::move(sums));
}

void Adwin::load(const ArchiveView& archive, const std::string& prefix) {
    ArrayReader<std::int64_t> counts(archive, prefix + "counts");
    ArrayReader<double> sums(archive, prefix + "sums");
    const auto count = [&] { return to_count(counts.next(), prefix + "counts"); };
    Adwin loaded(delta_, bucket_inputs_, test_inputs_);
    loaded.n_newest_ = count();
    loaded.since_test_ = count();
    loaded.change_.inputs_before = count();
    loaded.change_.inputs_after = count();
    if (loaded.n_newest_ >= bucket_inputs_ || loaded.since_test_ >= test_inputs_ + bucket_inputs_)
        Archive::fail(prefix + "counts", "is out of range");
    loaded.newest_ = {sums.next(), sums.next()};
    loaded.change_.before = sums.next();
    loaded.change_.after = sums.next();
    const std::size_t n_levels = archive.get<std::int64_t>(prefix + "counts").size() - 4;
    if (n_levels > kMostLevels) Archive::fail(prefix + "counts", "is too long");
    for (std::size_t l = 0; l < n_levels; ++l) {
        Level& level = loaded.levels_.emplace_back();
        level.n = count();
        if (level.n > kBucketsOfSize || (level.n == 0 && l + 1 == n_levels))
            Archive::fail(prefix + "counts", "is out of range");
        for (std::size_t i = 0; i < level.n; ++i) level.buckets[i] = {sums.next(), sums.next()};
        level.add_up();
        loaded.size_ += level.n * inputs_of_bucket(l);
    }
    sums.finish();
    for (const double x : archive.get<double>(prefix + "sums"))
        if (!std::isfinite(x)) Archive::fail(prefix + "sums", "is not finite");
    *this = std::move(loaded);
}

}  // namespace sgt
