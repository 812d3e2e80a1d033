#include "sgt/learner/bag_learner.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace sgt {

namespace {

// Instances that are encoded together, in whole bags.
constexpr std::size_t kInstancesAtOnce = 1024;

std::unique_ptr<Objective> make_objective(const Options& options, Pooling pooling) {
    if (options.linear_leaves) throw std::invalid_argument("linear leaves cannot learn bags");
    if (options.round_rows != 1)
        throw std::invalid_argument("round_rows must be 1 where bags are learned");
    if (options.combination != Combination::one && options.combination != Combination::boosting)
        throw std::invalid_argument("bags are learned by one member, or by boosted ones");
    return std::make_unique<BagObjective>(pooling);
}

}  // namespace

BagLearner::BagLearner(const Options& options, const std::vector<bool>& nominal,
                       const Ranges* ranges, Pooling pooling)
    : Learner(options, nominal, ranges,
              [&](const Options& o, bool) { return make_objective(o, pooling); }) {}

BagLearner::BagLearner(const Options& options, const ArchiveView& archive, Pooling pooling)
    : Learner(options, archive,
              [&](const Options& o, bool) { return make_objective(o, pooling); }) {}

void BagLearner::learn(const RowsView& x, const std::vector<std::size_t>& sizes,
                       const double* labels, const double* weights) {
    std::size_t rows = 0;
    for (const std::size_t size : sizes) {
        if (size == 0) throw std::invalid_argument("a bag must have at least one instance");
        rows += size;
    }
    if (rows != x.rows)
        throw std::invalid_argument("the sizes of the bags must add up to the rows");
    require_learning();
    const std::lock_guard one_learns(one_learns_);
    for (std::size_t bag = 0, row = 0; bag < sizes.size();) {
        std::size_t n_bags = 0, n_rows = 0;
        while (bag + n_bags < sizes.size() &&
               (n_bags == 0 || n_rows + sizes[bag + n_bags] <= kInstancesAtOnce))
            n_rows += sizes[bag + n_bags++];
        const std::unique_lock lock(access_);
        learn_group(x.slice(row, row + n_rows), sizes.data() + bag, n_bags, labels + bag,
                    weights == nullptr ? nullptr : weights + bag);
        bag += n_bags;
        row += n_rows;
    }
}

void BagLearner::add_bag(std::size_t size, double label, double weight) {
    ensemble_.for_each([&](Member& member) {
        static_cast<BagObjective&>(*member.objective).add_bag(size, label, weight);
    });
}

void BagLearner::take_bags() {
    ensemble_.for_each(
        [](Member& member) { static_cast<BagObjective&>(*member.objective).take_bags(); });
}

// While the warm-up lasts bags are added to it one by one, and it ends with a whole bag.
void BagLearner::learn_group(const RowsView& x, const std::size_t* sizes, std::size_t n_bags,
                             const double* labels, const double* weights) {
    require_columns(x);
    std::size_t bag = 0, row = 0;
    const auto weight = [&](std::size_t i) { return weights == nullptr ? 1.0 : weights[i]; };
    for (; bag < n_bags && warm_up_.is_active(); row += sizes[bag++]) {
        if (weight(bag) == 0.0) continue;
        add_bag(sizes[bag], labels[bag], weight(bag));
        for (std::size_t r = row; r < row + sizes[bag]; ++r)
            warm_up_.add(x, r, labels + bag, weight(bag));
        ensemble_.add_rows(sizes[bag]);
        if (warm_up_.is_full()) finish_warm_up();
    }
    while (bag < n_bags) {
        const std::size_t together = may_change_between_rows() ? 1 : n_bags;
        std::vector<double> y, w;
        const std::size_t first = row, last_bag = std::min(bag + together, n_bags);
        for (; bag < last_bag; row += sizes[bag++]) {
            add_bag(sizes[bag], labels[bag], weight(bag));
            y.insert(y.end(), sizes[bag], labels[bag]);
            w.insert(w.end(), sizes[bag], weight(bag));
        }
        try {
            learn_encoded({x.slice(first, row), y.data(), w.data()}, 0, nullptr);
        } catch (...) {
            take_bags();  // that were not learned
            throw;
        }
    }
}

void BagLearner::score(const RowsView& x, double* scores) const {
    RawPredictions predictions;
    predictions.raw = scores;
    predict_rows(x, predictions);
}

}  // namespace sgt
