#include "sgt/leaf/offsets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgt {

Offsets::Offsets(const Options& options, std::size_t outputs)
    : has_delay_(options.label_delay > 0) {
    if (!options.follows()) return;
    for (const double rate : options.following_rates) shares_.push_back(std::sqrt(rate));
    n_rates_ = shares_.size();
    offsets_ = judged_ = GrowingRows({}, n_rates_ * outputs);
    chosen_.assign(outputs, 0);
    add_nodes(1);
}

void Offsets::add_nodes(std::size_t n) {
    offsets_.append(n);
    if (!has_delay_ || width() == 0) return;
    judged_.append(n);
    n_carried_.resize(n_carried_.size() + n, 0);
    is_heir_.resize(is_heir_.size() + n, 0);
}

void Offsets::carry(std::size_t from, std::size_t to, const std::vector<double>& steps) {
    for (GrowingRows* offsets : {&offsets_, &judged_}) {
        if (offsets->empty()) continue;
        const double* before = offsets->row(from);
        double* after = offsets->row(to);
        for (std::size_t i = 0; i < width(); ++i) {
            const double carried = shares_[i % n_rates()] * (before[i] - steps[i / n_rates()]);
            after[i] = std::isfinite(carried) ? carried : 0.0;
        }
    }
    if (n_carried_.empty()) return;
    n_carried_[to] = n_carried_[from] + 1;
    if (from != to) is_heir_[to] = 1;
}

void Offsets::judge(std::size_t node, std::size_t rate, std::size_t output, double move,
                    std::uint32_t n_carried) {
    if (n_carried < n_carried_[node]) move *= std::pow(shares_[rate], n_carried_[node] - n_carried);
    double& offset = judged_.row(node)[output * n_rates() + rate];
    if (std::isfinite(offset + move)) offset += move;
}

void Offsets::clear(std::size_t node) {
    for (GrowingRows* offsets : {&offsets_, &judged_})
        if (!offsets->empty()) std::fill_n(offsets->row(node), width(), 0.0);
}

void Offsets::restart() {
    offsets_.clear();
    judged_.clear();
    std::fill(chosen_.begin(), chosen_.end(), 0);
}

void Offsets::add_output(bool with_slack) {
    if (n_rates() == 0) return;
    offsets_.widen(n_rates(), with_slack);
    judged_.widen(n_rates(), with_slack);
    chosen_.push_back(chosen_.front());  // classes are predicted together
}

void Offsets::save(Archive& archive, const std::string& prefix) const {
    archive.put(prefix + "offsets/now", offsets_.packed());
    archive.put(prefix + "offsets/judged", judged_.packed());
    archive.put(prefix + "offsets/carried",
                std::vector<std::int64_t>(n_carried_.begin(), n_carried_.end()));
    archive.put(prefix + "offsets/is_heir", is_heir_);
}

void Offsets::load(const ArchiveView& archive, const std::string& prefix, std::size_t nodes) {
    const auto read = [&](const std::string& name, std::size_t size) {
        const auto values = archive.get<double>(name, size);
        if (!std::all_of(values.begin(), values.end(), [](double o) { return std::isfinite(o); }))
            Archive::fail(name, "must be finite");
        return GrowingRows(to_vector(values), width());
    };
    offsets_ = read(prefix + "offsets/now", nodes * width());
    const std::size_t judged_nodes = has_delay_ && width() > 0 ? nodes : 0;
    judged_ = read(prefix + "offsets/judged", judged_nodes * width());
    const auto carried = archive.get<std::int64_t>(prefix + "offsets/carried", judged_nodes);
    n_carried_.clear();
    for (const std::int64_t n : carried) {
        if (n < 0 || n > std::numeric_limits<std::uint32_t>::max())
            Archive::fail(prefix + "offsets/carried", "is out of range");
        n_carried_.push_back(static_cast<std::uint32_t>(n));
    }
    is_heir_ = to_vector(archive.get<std::uint8_t>(prefix + "offsets/is_heir", judged_nodes));
}

}  // namespace sgt
