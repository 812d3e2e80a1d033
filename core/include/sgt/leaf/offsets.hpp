// Following leaves: what the nodes of a tree add to their values for each of several rates. Rows
// move a leaf's offsets; the value moves by tests alone and knows nothing of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/clones.hpp"
#include "sgt/growing_rows.hpp"
#include "sgt/options.hpp"

namespace sgt {

class Offsets {
public:
    Offsets() = default;
    // Of one node, with a number for each output and rate.
    Offsets(const Options& options, std::size_t outputs);

    std::size_t n_rates() const {
        return n_rates_;
    }
    // By output, and there by rate. A split's are 0.
    double* at(std::size_t node) {
        return offsets_.row(node);
    }
    const double* at(std::size_t node) const {
        return offsets_.row(node);
    }
    void prefetch(std::size_t node) const {
        prefetch_to_write(at(node), width());
    }
    // As they were `label_delay` rows ago; the same ones without a delay.
    double* judged(std::size_t node) {
        return (has_delay_ ? judged_ : offsets_).row(node);
    }

    // Late labels: how often offsets have been carried on the way to this node's, and whether a
    // leaf that split has left it its own.
    std::uint32_t n_carried(std::size_t node) const {
        return n_carried_[node];
    }
    bool is_heir(std::size_t node) const {
        return is_heir_[node] != 0;
    }
    // Adds a move to the judged offsets, which was made when they had been carried so often.
    void judge(std::size_t node, std::size_t rate, std::size_t output, double move,
               std::uint32_t n_carried);

    // What is predicted: 0 is the value alone, r the value and the offset of rate r - 1.
    void choose(std::size_t output, std::size_t way) {
        chosen_[output] = way;
    }
    std::size_t chosen_way(std::size_t output) const {
        return chosen_.empty() ? 0 : chosen_[output];
    }
    // Whether any output is predicted with an offset.
    bool are_chosen() const {
        return std::any_of(chosen_.begin(), chosen_.end(),
                           [](std::size_t way) { return way != 0; });
    }
    // What a node adds to the value of an output in predictions.
    double chosen(std::size_t node, std::size_t output) const {
        const std::size_t way = chosen_way(output);
        return way == 0 ? 0.0 : at(node)[output * n_rates() + way - 1];
    }
    // Adds it to the scores of all outputs.
    void add_chosen(std::size_t node, double* scores) const {
        add_chosen_of(at(node), scores);
    }
    // To that of the only output.
    void add_chosen_to_one(std::size_t node, double& score) const {
        const std::size_t way = chosen_[0];
        if (way != 0) score += at(node)[way - 1];
    }
    // The same as it was `label_delay` rows ago.
    void add_chosen_judged(std::size_t node, double* scores) {
        add_chosen_of(judged(node), scores);
    }

    void add_nodes(std::size_t n);
    // `to` begins where `from` is, with these steps added to its value: of the way from there back
    // to the score before, each rate keeps the share sqrt(rate).
    void carry(std::size_t from, std::size_t to, const std::vector<double>& steps);
    void clear(std::size_t node);
    // All offsets are 0, and values alone are predicted.
    void restart();
    // One more output, whose offsets are 0. With slack there is room for more of them.
    void add_output(bool with_slack);

    std::size_t bytes_per_node() const {
        const std::size_t offsets = offsets_.room() * sizeof(double);
        return has_delay_ && width() > 0
                   ? 2 * offsets + sizeof(std::uint32_t) + sizeof(std::uint8_t)
                   : offsets;
    }

    void save(Archive& archive, const std::string& prefix) const;
    void load(const ArchiveView& archive, const std::string& prefix, std::size_t nodes);

private:
    void add_chosen_of(const double* offsets, double* scores) const {
        for (std::size_t j = 0; j < chosen_.size(); ++j, offsets += n_rates())
            if (chosen_[j] != 0) scores[j] += offsets[chosen_[j] - 1];
    }
    std::size_t width() const {
        return offsets_.width();
    }

    std::vector<double> shares_;  // sqrt(rate)
    std::size_t n_rates_ = 0;
    bool has_delay_ = false;
    GrowingRows offsets_, judged_;
    std::vector<std::uint32_t> n_carried_;  // by node, with a delay
    std::vector<std::uint8_t> is_heir_;
    std::vector<std::size_t> chosen_;  // by output
};

}  // namespace sgt
