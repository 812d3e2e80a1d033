#include "sgt/learner/bag_objective.hpp"

#include <algorithm>
#include <cmath>

#include "sgt/drift/replacement.hpp"
#include "sgt/loss/loss.hpp"
#include "sgt/rounds/merge.hpp"

namespace sgt {

double Pooling::pool(const double* scores, std::size_t n, double* shares) const {
    const auto highest = static_cast<std::size_t>(std::max_element(scores, scores + n) - scores);
    if (!is_soft()) {
        std::fill(shares, shares + n, 0.0);
        shares[highest] = 1.0;
        return scores[highest];
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        sum += shares[i] = std::exp(sharpness * (scores[i] - scores[highest]));
    for (std::size_t i = 0; i < n; ++i) shares[i] /= sum;
    return scores[highest] + std::log(sum / static_cast<double>(n)) / sharpness;
}

std::vector<double> BagObjective::warm_up_scores(const WarmUp&) const {
    double of_class[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < bags_.size(); ++i)
        of_class[bags_.labels[i] > 0.5] += bags_.weights[i];
    if (of_class[0] == 0.0 && of_class[1] == 0.0) return {0.0};
    // A class without bags counts as half a bag.
    const double half = 0.5 * (of_class[0] + of_class[1]) / static_cast<double>(bags_.size());
    return {std::log((of_class[1] > 0.0 ? of_class[1] : half) /
                     (of_class[0] > 0.0 ? of_class[0] : half))};
}

std::vector<TreeStart> BagObjective::trees(const WarmUp& warm_up, bool from_data) const {
    return {{0, from_data ? warm_up_scores(warm_up) : std::vector{0.0}, Layout::moments}};
}

CellReader BagObjective::reader(Layout layout, const double*,
                                const std::vector<Reference>& references) const {
    return CellReader::shifted(layout, references);
}

void BagObjective::set_bag(double label, double w, const std::vector<double>& scores) {
    shares_.resize(scores.size());
    const double score = pooling_.pool(scores.data(), scores.size(), shares_.data());
    const double p = BinaryLogLoss::probability(score), q = BinaryLogLoss::probability(-score);
    w_ = w;
    g_ = label > 0.5 ? -q : p;
    h_ = p * q;
}

double BagObjective::loss(double label, const double* scores, std::size_t n) {
    shares_.resize(n);
    const double score = pooling_.pool(scores, n, shares_.data());
    const double p = BinaryLogLoss::probability(label > 0.5 ? score : -score);
    return std::min(-std::log(p), Replacement::kGreatestLogLoss);
}

void BagObjective::save(Archive& archive) const {
    archive.put("bags/sizes", std::vector<std::int64_t>(bags_.sizes.begin(), bags_.sizes.end()));
    archive.put("bags/labels", bags_.labels);
    archive.put("bags/weights", bags_.weights);
}

void BagObjective::load(const ArchiveView& archive, const WarmUp& warm_up) {
    const auto sizes = archive.get<std::int64_t>("bags/sizes");
    const auto labels = archive.get<double>("bags/labels", sizes.size());
    const auto weights = archive.get<double>("bags/weights", sizes.size());
    std::size_t rows = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 1 || static_cast<std::size_t>(sizes[i]) > warm_up.rows() - rows)
            Archive::fail("bags/sizes", "does not fit the rows that wait");
        if (labels[i] != 0.0 && labels[i] != 1.0) Archive::fail("bags/labels", "must be 0 or 1");
        if (!(std::isfinite(weights[i]) && weights[i] > 0.0))
            Archive::fail("bags/weights", "must be finite and above 0");
        rows += static_cast<std::size_t>(sizes[i]);
        bags_.add(static_cast<std::size_t>(sizes[i]), labels[i], weights[i]);
    }
    if (rows != warm_up.rows()) Archive::fail("bags/sizes", "does not fit the rows that wait");
}

void BagObjective::check_merge(const Objective& other) const {
    const auto* same = dynamic_cast<const BagObjective*>(&other);
    if (same == nullptr || same->pooling_.sharpness != pooling_.sharpness)
        throw MergeError("the models are not of one kind");
}

}  // namespace sgt
