#include "sgt/leaf/offsets.hpp"

#include <algorithm>
#include <cmath>

namespace sgt {

Offsets::Offsets(const Options& options, std::size_t outputs)
    : outputs_(outputs), has_delay_(options.label_delay > 0) {
    if (!options.follows()) return;
    for (const double rate : options.following_rates) shares_.push_back(std::sqrt(rate));
    chosen_.assign(outputs, 0);
    add_nodes(1);
}

void Offsets::add_nodes(std::size_t n) {
    offsets_.resize(offsets_.size() + n * width(), 0.0);
    if (has_delay_) judged_.resize(offsets_.size(), 0.0);
}

void Offsets::carry(std::size_t from, std::size_t to, const std::vector<double>& steps) {
    for (std::vector<double>* offsets : {&offsets_, &judged_}) {
        if (offsets->empty()) continue;
        for (std::size_t i = 0; i < width(); ++i)
            (*offsets)[to * width() + i] =
                shares_[i / outputs_] * ((*offsets)[from * width() + i] - steps[i % outputs_]);
    }
}

void Offsets::clear(std::size_t node) {
    for (std::vector<double>* offsets : {&offsets_, &judged_})
        if (!offsets->empty()) std::fill_n(offsets->begin() + node * width(), width(), 0.0);
}

void Offsets::restart() {
    std::fill(offsets_.begin(), offsets_.end(), 0.0);
    std::fill(judged_.begin(), judged_.end(), 0.0);
    std::fill(chosen_.begin(), chosen_.end(), 0);
}

void Offsets::add_output() {
    if (n_rates() == 0) return;
    for (std::vector<double>* offsets : {&offsets_, &judged_}) {
        std::vector<double> wider;
        wider.reserve(offsets->size() / outputs_ * (outputs_ + 1));
        for (std::size_t i = 0; i < offsets->size(); ++i) {
            wider.push_back((*offsets)[i]);
            if (i % outputs_ == outputs_ - 1) wider.push_back(0.0);
        }
        *offsets = std::move(wider);
    }
    ++outputs_;
    chosen_.push_back(chosen_.front());  // classes are predicted together
}

void Offsets::save(Archive& archive, const std::string& prefix) const {
    archive.put(prefix + "offsets/now", offsets_);
    archive.put(prefix + "offsets/judged", judged_);
}

void Offsets::load(const ArchiveView& archive, const std::string& prefix, std::size_t nodes) {
    const auto read = [&](const std::string& name, std::size_t size) {
        const auto values = archive.get<double>(name, size);
        if (!std::all_of(values.begin(), values.end(), [](double o) { return std::isfinite(o); }))
            Archive::fail(name, "must be finite");
        return to_vector(values);
    };
    offsets_ = read(prefix + "offsets/now", nodes * width());
    judged_ = read(prefix + "offsets/judged", has_delay_ ? nodes * width() : 0);
}

}  // namespace sgt
