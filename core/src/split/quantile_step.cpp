#include "sgt/split/quantile_step.hpp"

#include <algorithm>

namespace sgt {

std::optional<double> expected_quantile(std::vector<WeightedTarget> targets, double alpha) {
    double weight = 0.0, squares = 0.0;
    for (const WeightedTarget& target : targets) {
        weight += target.w;
        squares += target.w * target.w;
    }
    if (!(weight > 0.0)) return std::nullopt;
    const double n = weight * weight / squares;
    constexpr double kRounding = 1e-9;
    if (n * std::min(alpha, 1.0 - alpha) < 1.0 - kRounding) return std::nullopt;
    std::sort(targets.begin(), targets.end());
    // Each target is at the middle of its weight.
    const double wanted = alpha * weight + (alpha - 0.5) * weight / n;
    double below = 0.0, last_place = 0.0, last = targets.front().y;
    for (const WeightedTarget& target : targets) {
        const double place = below + 0.5 * target.w;
        if (place >= wanted) {
            const double share = place > last_place && wanted > last_place
                                     ? (wanted - last_place) / (place - last_place)
                                     : 0.0;
            return last + (target.y - last) * share;
        }
        below += target.w;
        last_place = place;
        last = target.y;
    }
    return last;
}

void take_quantile_steps(const LeafStatistics& leaf, const std::vector<std::uint32_t>& rows,
                         const CellReader& reader, std::vector<double>& steps) {
    std::vector<WeightedTarget> targets(rows.size());
    for (std::size_t j = 0; j < steps.size(); ++j) {
        const Pinball& pinball = reader.pinball(j);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double* record = leaf.latest_record(rows[i]);
            const double r = pinball.residual(record[place_of_g(j)], record[place_of_h(j)]);
            targets[i] = {-r, record[0] * record[1]};
        }
        if (const auto step = expected_quantile(targets, pinball.alpha)) steps[j] = *step;
    }
}

}  // namespace sgt
