// Classes under softmax cross entropy, by a committee or by vector leaves.
//
// Committee: K - 1 trees. Class 0, the first seen, is the reference with raw score 0; class k has a
// tree of its own. With two classes that is one logistic tree.
// Vector leaves: one tree whose leaves hold a score for each class.
//
// While a leaf's value does not change a row's derivatives depend on its class alone: for vector
// leaves, and for a single logistic tree of constant leaves, class counts are sufficient.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sgt/drift/replacement.hpp"
#include "sgt/leaf/thinning.hpp"
#include "sgt/learner/follow_classes.hpp"
#include "sgt/learner/following.hpp"
#include "sgt/learner/objective.hpp"
#include "sgt/learner/predictions.hpp"
#include "sgt/loss/exponential.hpp"
#include "sgt/options.hpp"

namespace sgt {

class ClassObjective final : public Objective {
public:
    using Sink = ClassPredictions;

    // One tree with a score for each class in its leaves, or a committee of one tree a class; or
    // the first where the warm-up has seen more than two.
    enum class Leaves : std::uint8_t { scalar, vector, by_number };

    // `value_is_score`: a row's raw score is the value of its leaf, and nothing else.
    ClassObjective(const Options& options, Leaves leaves, bool value_is_score);

    Kind kind() const override {
        return Kind::classes;
    }
    std::size_t n_classes() const {
        return n_classes_;
    }
    bool has_vector_leaves() const {
        return vector_leaves_;
    }
    std::size_t n_outputs() const override {
        return n_classes_;
    }
    void add_warm_up_row(const double* y, double w) override;
    std::vector<double> warm_up_scores(const WarmUp& warm_up) const override;
    void take_scales(const WarmUp& warm_up) override;
    std::size_t n_trees() const override {
        if (n_classes_ < 2) return 0;
        return vector_leaves_ ? 1 : n_classes_ - 1;
    }
    std::vector<TreeStart> trees(const WarmUp& warm_up, bool from_data) const override;
    CellReader reader(Layout layout, const double* value,
                      const std::vector<Reference>& references) const override;
    bool has_new_class(const double* y) const override {
        return is_new_class(y);
    }
    NewClass admit_class(double w, bool from_data) override;
    void count(double weight) override {
        counted_weight_ += weight;
    }
    double weight_to_count(const double* y, double w) const override {
        return counted_weight(y, w);
    }
    void save(Archive& archive) const override;
    void load(const ArchiveView& archive, const WarmUp& warm_up) override;
    void check_targets(const std::vector<double>& y, const char* name) const override;
    void check_merge(const Objective& other) const override;
    void merge(const Objective& other, const Objective* base) override;

    // --- for the row loop ---
    bool is_new_class(const double* y) const {
        return *y == static_cast<double>(n_classes_);
    }
    // A committee counts the reference class, vector leaves count all rows: with that a new class
    // starts as rare as it is.
    double counted_weight(const double* y, double w) const {
        return w * one_or_zero(vector_leaves_ | (*y == 0.0));
    }
    void set_row(std::size_t /*row*/, const double* y, double w, const double* raw) {
        record_[0] = w;
        record_[1] = *y;
        if (counts_classes_) return;
        y_ = static_cast<std::size_t>(*y);
        write_probabilities(raw);
        sums_of_others(probabilities_, others_);
        if (vector_leaves_) set_vector_record();
    }
    // Errors without a unit need no mean.
    void note_errors(const double* /*y*/, const double* /*raw*/, Replacement& /*r*/) const {}
    // Whether another class has a score as high as the row's: 0 or 1.
    double error(const double* y, const double* raw, const Replacement& /*replacement*/) const {
        const auto k = static_cast<std::size_t>(*y);
        if (n_classes_ == 2) return one_or_zero(raw[1 - k] >= raw[k]);
        std::size_t n = 0;  // the row's own class among them
        for (std::size_t j = 0; j < n_classes_; ++j)
            n += static_cast<std::size_t>(raw[j] >= raw[k]);
        return n > 1 ? 1.0 : 0.0;
    }
    // The log loss of a prediction, as if no class were less likely than 1e-4.
    void write_losses(const double* y, const double* raw, double* losses) {
        write_losses(y, raw, 1, losses);
    }
    // The same of n rows.
    void write_losses(const double* y, const double* raw, std::size_t n, double* losses);
    const double* record(std::size_t output, std::size_t tree, std::uint64_t number) {
        if (counts_classes_) return record_.data();
        if (vector_leaves_) {
            if (!is_sure_of(others_[y_])) return of_vector_.data();
            of_vector_[1] = kCopies;
            return is_drawn(number, tree) ? of_vector_.data() : nullptr;
        }
        const double p = probabilities_[output], q = others_[output];
        Evidence evidence{record_[0], y_ == output ? -q : p, p * q};
        if (is_sure_of(evidence.g)) {
            if (!is_drawn(number, tree)) return nullptr;
            evidence.copies = kCopies;
        }
        of_tree_ = evidence.record();
        return of_tree_.data();
    }

    // Following leaves: a row at the scores of a way. The race sees it if it is judged, and
    // `moves`, where it is not null, gets what the offsets of its leaves move by at this rate.
    void pursue(const FollowedRow& row, const double* /*raw*/, const double* at, bool is_judged,
                Following& following, double* moves) {
        follow_.resize(n_classes_);
        const double scale = 1.0 / write_powers(at, n_classes_, follow_.data());
        const auto y = static_cast<std::size_t>(*row.y);
        if (is_judged) following.race.add_likelihood(row.way, scale * follow_[y], row.weight);
        if (moves == nullptr) return;
        const double rate = following.rate(row.way, row.weight) / inflation_of_offsets();
        moves[0] = 0.0;  // a committee's reference class has no offset; late moves are saved whole
        for (std::size_t k = vector_leaves_ ? 0 : 1; k < n_classes_; ++k) {
            const double p = scale * follow_[k], variance = p * (1.0 - p);
            const double step = rate * ((k == y ? 1.0 : 0.0) - p);
            moves[k * following.rates().size()] =
                variance > kLeastVariance ? step / variance : step * kMostPrecision;
        }
    }
    // Where labels are not late: all ways together, in a fraction of the time. `offsets` are those
    // of the row's leaf, or null, for each class; or for a single log odds, that of class 1.
    bool has_log_odds() const {
        return n_classes_ == 2 && !vector_leaves_;
    }
    SGT_INLINE static void pursue_log_odds(const LogOddsRow& of_class, double* offsets,
                                           Following& following) {
        following.race.add_likelihoods(of_class.weight, [&](double* products) {
            follow_log_odds(of_class, following.rates(), offsets, products);
        });
    }
    // Where it is known how likely the row's class is by the value alone.
    SGT_INLINE static void pursue_log_odds(const FollowedLogOdds& row, Following& following) {
        following.race.add_likelihoods(row.row.weight, [&](double* products) {
            follow_log_odds(&row, 1, following.rates(), products);
        });
    }
    void pursue_together(const FollowedRow& row, const double* raw, double* const* offsets,
                         Following& following) {
        const SoftmaxRow of_class{static_cast<std::size_t>(*row.y), n_classes_, raw, row.weight,
                                  inflation_of_offsets()};
        following.race.add_likelihoods(row.weight, [&](double* products) {
            follow_softmax(of_class, following.rates(), offsets, products, follow_);
        });
    }
    // The same where the offsets of all classes stand together in a leaf, at four rates.
    // `likelihood`: of the row's class by the node's values, where these are the raw scores; else
    // null.
    void pursue_in_leaf(const FollowedRow& row, const double* raw, double* offsets,
                        const double* likelihood, Following& following) {
        const SoftmaxRow of_class{static_cast<std::size_t>(*row.y), n_classes_, raw, row.weight,
                                  inflation_of_offsets()};
        double by_values = 0.0;
        if (likelihood == nullptr) {
            const double sum = powers_at(raw);
            by_values = 1.0 / sum * powers_[of_class.y];
        } else {
            by_values = *likelihood;
        }
        following.race.add_likelihoods(row.weight, [&](double* products) {
            follow_softmax(of_class, by_values, following.rates(), offsets, products, follow_);
        });
    }

private:
    // Without a branch: nobody can foresee a row's class, or its error.
    static double one_or_zero(bool is_so) {
        return static_cast<double>(static_cast<int>(is_so));
    }
    // powers_[k] = exp(raw[k] - the largest), and their sum: a row is followed and learned at the
    // same scores, one after the other.
    double powers_at(const double* raw) {
        if (powers_of_.size() == n_classes_ && std::equal(raw, raw + n_classes_, powers_of_.data()))
            return sum_of_powers_;
        powers_of_.assign(raw, raw + n_classes_);
        powers_.resize(n_classes_);
        return sum_of_powers_ = write_powers(raw, n_classes_, powers_.data());
    }
    void write_probabilities(const double* raw) {
        probabilities_.resize(n_classes_);
        if (n_classes_ == 2) return softmax(raw, n_classes_, probabilities_.data());
        const double scale = 1.0 / powers_at(raw);
        for (std::size_t k = 0; k < n_classes_; ++k) probabilities_[k] = scale * powers_[k];
    }
    bool is_sure_of(double g) const {
        return thins_ && std::fabs(g) < kSureGradient;
    }
    // Weight, copies, then g and h of each class.
    void set_vector_record() {
        of_vector_.resize(record_width(layout()));
        of_vector_[0] = record_[0];
        of_vector_[1] = 1.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double p = probabilities_[k], q = others_[k];
            of_vector_[place_of_g(k)] = k == y_ ? -q : p;
            of_vector_[place_of_h(k)] = inflation() * p * q;
        }
    }
    // The hessian's diagonal is multiplied by K / (K - 1): the outputs are one too many.
    double inflation() const {
        return static_cast<double>(n_classes_) / static_cast<double>(n_classes_ - 1);
    }
    double inflation_of_offsets() const {
        return vector_leaves_ ? inflation() : 1.0;
    }
    Layout layout() const;
    // What the number of classes decides.
    void set_n_classes(std::size_t n_classes);

    Leaves leaves_;
    bool vector_leaves_, value_is_score_;
    // Not without lambda, where nothing but the rows at hand bounds a step; nor with linear leaves,
    // which move with every row.
    bool may_thin_;
    std::size_t n_classes_ = 0;
    bool counts_classes_ = false, thins_ = false;
    std::vector<double> class_weights_;  // over the warm-up rows
    double counted_weight_ = 0.0;        // over the rows learned

    // Of the row that is learned now.
    std::array<double, 2> record_{};
    std::array<double, 4> of_tree_{};
    std::vector<double> of_vector_;
    std::size_t y_ = 0;
    std::vector<double> probabilities_, others_;
    std::vector<double> powers_of_, powers_;
    double sum_of_powers_ = 0.0;
    std::vector<double> follow_;  // powers of the classes' scores at a way, or at all rates
};

}  // namespace sgt
