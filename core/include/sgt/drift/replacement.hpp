// When a model is replaced. A detector sees its errors; an alarm starts fresh trees in the
// background, which learn the same rows; they take over when they have proved better, or are given
// up. This class decides when; the row loop does it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sgt/archive/archive.hpp"
#include "sgt/clones.hpp"
#include "sgt/drift/detector.hpp"
#include "sgt/drift/proof.hpp"

namespace sgt {

// What happened, with which row (the rows learned before it), and why.
struct DriftEvent {
    enum class Kind : std::uint8_t { alarm, replaced, no_lead, no_memory, merged, harm };

    Kind kind = Kind::alarm;
    std::uint64_t row = 0;
    // Of an alarm: the mean error before and since. Of harm: by how much a member has lowered the
    // loss, and its t. Otherwise: the lead of the trees in the background, and its t.
    double first = 0.0, second = 0.0;
    // Of an alarm: inputs before and since. Of harm: the rows of the member. Otherwise: the rows
    // that the background has learned.
    std::uint64_t n_first = 0, n_second = 0;
    std::size_t member = 0;  // of an ensemble
};

class Replacement {
public:
    static constexpr double kProvingT = 3.0;
    static constexpr std::uint64_t kFirstLook = 100;     // rows of the background
    static constexpr std::uint64_t kRowsOfLook = 32;     // between two looks
    static constexpr std::uint64_t kRowsOfTrial = 5000;  // then it must lead
    // From so many rows on trees may have proved worse, or a boosted member to do harm. Younger
    // ones do, even those that will be good.
    static constexpr std::uint64_t kRowsOfYouth = 1000;
    // Probabilities are taken as at least this, so that no row decides alone; and -log of it.
    static constexpr double kLeastProbability = 1e-4;
    static constexpr double kGreatestLogLoss = 9.210340371976184;
    // An error of so many units, or more, is an input of 1. The unit is the mean of the recent
    // errors after so many rows, and again whenever that has fallen to half of it: then the
    // detector starts anew. (A unit that moved with every row would let errors seem to rise when it
    // falls.)
    static constexpr double kGreatestError = 6.0;
    static constexpr std::uint64_t kRowsOfUnit = 100;
    static constexpr double kShareOfRow = 0.001;  // at least, in the mean of the recent errors
    // The latest so many events are kept.
    static constexpr std::size_t kMostEvents = 1000;

    enum class Verdict : std::uint8_t { wait, replace, give_up };

    // Of a model with so many targets. The detector is one that has seen nothing.
    explicit Replacement(const Detector& detector = Detector(), std::size_t n_targets = 1)
        : fresh_detector_(detector),
          detector_(detector),
          mean_errors_(n_targets, 0.0),
          units_(n_targets, 0.0),
          mean_losses_(n_targets, 0.0) {}

    std::size_t n_targets() const {
        return mean_errors_.size();
    }
    // The errors of a row's prediction, one for each target, before `in_units`.
    void note_errors(const double* errors) {
        ++n_errors_;
        bool has_new_unit = false;
        for (std::size_t j = 0; j < n_targets(); ++j) has_new_unit |= note_error(j, errors[j]);
        if (has_new_unit) detector_ = fresh_detector_;
    }
    // An error that has a unit, as an input of the detector.
    double in_units(std::size_t target, double error) const {
        if (!std::isfinite(error)) return 1.0;
        const double unit = units_[target];
        return unit == 0.0 ? 0.0 : std::min(1.0, error / (kGreatestError * unit));
    }

    // While there is no background: the error of a row. Returns whether one must be started.
    SGT_INLINE bool add_error(double error, std::uint64_t row) {
        if (!detector_.add(error)) return false;
        note_alarm(row);
        return true;
    }
    // What a row's prediction has shown: its error, and its loss for each target.
    struct Seen {
        double error;
        const double* losses;
    };
    // While there is one: the error of a row of this weight, and what it has shown of both.
    Verdict add_losses(double error, const Seen& in_place, const Seen& in_background, double weight,
                       std::uint64_t row) {
        detector_.add(error);
        proof_.add(weight * difference(in_place.losses, in_background.losses),
                   weight * (in_place.error - in_background.error));
        const std::uint64_t n = proof_.rows();
        if (n < kFirstLook || n % kRowsOfLook != 0) return Verdict::wait;
        return look(row);
    }
    // A member begins anew, because it has done harm.
    void note_harm(const Proof& benefit, std::uint64_t row) {
        ++n_replaced_;
        note({DriftEvent::Kind::harm, row, benefit.mean(), benefit.t(), benefit.rows(), 0});
    }
    // The background is dropped for another reason.
    void give_up(DriftEvent::Kind why, std::uint64_t row);
    // The detector starts anew: what it has seen are errors of other trees.
    void restart() {
        detector_ = fresh_detector_;
        n_errors_ = 0;
        std::fill(mean_errors_.begin(), mean_errors_.end(), 0.0);
        std::fill(units_.begin(), units_.end(), 0.0);
        start_proof();
    }

    const std::vector<DriftEvent>& events() const {
        return events_;
    }
    // How often the trees have been replaced.
    std::uint64_t n_replaced() const {
        return n_replaced_;
    }

    void save(Archive& archive, const std::string& prefix, bool inference_only) const;
    void load(const ArchiveView& archive, const std::string& prefix, bool inference_only);

private:
    // Returns whether the target has a new unit.
    bool note_error(std::size_t target, double error) {
        if (!std::isfinite(error)) return false;
        double& mean = mean_errors_[target];
        mean += std::max(1.0 / static_cast<double>(n_errors_), kShareOfRow) * (error - mean);
        double& unit = units_[target];
        if (unit == 0.0 ? n_errors_ < kRowsOfUnit || mean == 0.0 : mean > 0.5 * unit) return false;
        unit = mean;
        return true;
    }
    // Of the losses; those of several targets in units of their recent means.
    double difference(const double* in_place, const double* in_background);
    void note(const DriftEvent& event);
    void note_alarm(std::uint64_t row);
    void start_proof() {
        proof_ = Proof();
        std::fill(mean_losses_.begin(), mean_losses_.end(), 0.0);
    }
    Verdict look(std::uint64_t row);

    Detector fresh_detector_;
    Detector detector_;
    Proof proof_;
    std::vector<DriftEvent> events_;
    std::uint64_t n_replaced_ = 0;
    std::uint64_t n_errors_ = 0;       // that have been noted
    std::vector<double> mean_errors_;  // of each target
    std::vector<double> units_;        // 0 before the first
    std::vector<double> mean_losses_;  // since the background was started
};

}  // namespace sgt
