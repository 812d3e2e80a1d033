// Merging: what another model has gathered is added to what this one has. Everything is checked
// before anything changes, and sums are formed in a fixed order: this + (other - base), cell by
// cell.
#include "sgt/rounds/merge.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <tuple>

#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/learner/learner.hpp"
#include "sgt/tree/nodes.hpp"
#include "sgt/tree/tree.hpp"

namespace sgt {

std::uint32_t CategoryCodes::largest() const {
    std::uint32_t largest = 0;
    for (const auto& codes : by_feature_)
        for (const std::uint32_t code : codes) largest = std::max(largest, code);
    return largest;
}

// -------------------------------------------------------------------------------------------------
// Cells
// -------------------------------------------------------------------------------------------------

// What has been gathered since the base, for one leaf of the other model: other - base. The leaves
// are copies without waiting rows.
class LeafStatistics::Gain {
public:
    Gain(LeafStatistics other, const LeafStatistics* base) : other_(std::move(other)) {
        if (base == nullptr || base->rows_ == 0) return;
        other_.rows_ -= base->rows_;
        other_.keep_latest(std::min<std::uint64_t>(other_.kept_, other_.rows_));
        other_.weight_ -= base->weight_;
        other_.weight_squares_ -= base->weight_squares_;
        // Both count from the same first row, so that their references are the same.
        subtract(base->total_.data(), other_.total_.data(), other_.total_.size());
        if (!other_.has_cells_) return;
        subtract(base->numeric_.data(), other_.numeric_.data(), other_.numeric_.size());
        for (std::size_t i = 0; i < other_.nominal_.size(); ++i)
            other_.nominal_[i].subtract(base->nominal_[i], other_.layout_);
    }

    // Sums about these references.
    void move_to(const std::vector<Reference>& references) {
        const std::size_t width = cell_width(other_.layout_);
        const auto move = [&](double* cell) {
            move_references(other_.layout_, other_.references_.data(), references.data(), cell);
        };
        move(other_.total_.data());
        for (std::size_t i = 0; i < other_.numeric_.size(); i += width)
            move(other_.numeric_.data() + i);
        for (NominalCells& cells : other_.nominal_) cells.for_each_slot(width, move);
        other_.references_ = references;
    }

    const LeafStatistics& statistics() const {
        return other_;
    }

private:
    static void subtract(const double* from, double* to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to[i] -= from[i];
    }

    LeafStatistics other_;
};

template <class Here, class Change>
void NominalCells::change_cells(const NominalCells& by, Layout layout, Here here, Change change) {
    const std::size_t width = cell_width(layout);
    std::uint32_t largest = 0;
    by.for_each(layout, [&](std::uint32_t code, const double*) {
        largest = std::max<std::uint32_t>(largest, here(code));
    });
    make_room(largest, layout);
    SlotIndex slots;
    if (listed_) write_slots(slots);
    by.for_each(layout, [&](std::uint32_t code, const double* cell) {
        change(cell, listed_ ? find_or_make(here(code), width, slots)
                             : cells_.data() + here(code) * width);
    });
}

void NominalCells::subtract(const NominalCells& base, Layout layout) {
    const std::size_t width = cell_width(layout);
    change_cells(
        base, layout, [](std::uint32_t code) { return code; },
        [&](const double* of_base, double* cell) {
            for (std::size_t i = 0; i < width; ++i) cell[i] -= of_base[i];
        });
}

void NominalCells::add(const NominalCells& other, Layout layout,
                       const std::function<std::uint32_t(std::uint32_t)>& here) {
    const std::size_t width = cell_width(layout);
    change_cells(other, layout, here, [&](const double* of_other, double* cell) {
        for (std::size_t i = 0; i < width; ++i) cell[i] += of_other[i];
    });
}

// -------------------------------------------------------------------------------------------------
// Leaves
// -------------------------------------------------------------------------------------------------

bool LeafStatistics::may_come_from(const LeafStatistics& base) const {
    const auto same = [](const Reference& a, const Reference& b) {
        return a.g == b.g && a.h == b.h;
    };
    return base.rows_ <= rows_ && (base.keeps_cells_ || !keeps_cells_) &&
           std::equal(references_.begin(), references_.end(), base.references_.begin(), same);
}

LeafStatistics LeafStatistics::without_waiting_rows(const FeatureSpace& features) const {
    LeafStatistics copy = *this;
    FlushScratch scratch;
    copy.flush(features, scratch);
    return copy;
}

void LeafStatistics::merge(Gain gain, const FeatureSpace& features, const FeatureSpace& others,
                           const CategoryCodes& codes) {
    widen_cells();
    if (rows_ == 0) references_ = gain.statistics().references_;
    gain.move_to(references_);
    const LeafStatistics& more = gain.statistics();
    if (!more.keeps_cells_) drop_cells();
    rows_ += more.rows_;
    rows_to_attempt_ = grace_period_.next(rows_) - rows_;
    weight_ += more.weight_;
    weight_squares_ += more.weight_squares_;
    for (std::size_t i = 0; i < total_.size(); ++i) total_[i] += more.total_[i];
    if (!keeps_cells_) return;
    take_kept_rows(more, features, others, codes);
    for (std::size_t i = 0; i < numeric_.size(); ++i) numeric_[i] += more.numeric_[i];
    for (std::size_t i = 0; i < nominal_.size(); ++i) {
        const std::size_t feature = features.nominal()[i];
        nominal_[i].add(more.nominal_[i], layout_,
                        [&](std::uint32_t code) { return codes.here(feature, code); });
    }
}

void LeafStatistics::take_kept_rows(const LeafStatistics& more, const FeatureSpace& features,
                                    const FeatureSpace& others, const CategoryCodes& codes) {
    const std::size_t n = more.kept_, row_bytes = features.size() * bytes_of(features.width());
    if (n == 0) return;
    make_room_for_kept(n, row_bytes);
    std::copy_n(more.buffered_record(more.oldest_), n * kept_width_, buffered_record(kept_));
    with_code_type(others.width(), [&]<class Theirs>(Theirs) {
        with_code_type(features.width(), [&]<class Mine>(Mine) {
            for (std::size_t r = 0; r < n; ++r) {
                const auto* from = reinterpret_cast<const Theirs*>(more.kept_codes(r));
                auto* to = reinterpret_cast<Mine*>(codes_.data() + (kept_ + r) * row_stride_);
                for (std::size_t f = 0; f < features.size(); ++f)
                    to[f] = static_cast<Mine>(from[f]);
                for (const std::uint32_t f : features.nominal())
                    to[f] = static_cast<Mine>(codes.here(f, to[f]));
            }
        });
    });
    kept_ += n;
}

// -------------------------------------------------------------------------------------------------
// Nodes
// -------------------------------------------------------------------------------------------------

bool Nodes::are_the_same(const Nodes& other, const CategoryCodes& codes) const {
    if (size() != other.size() || outputs() != other.outputs()) return false;
    for (NodeIndex i = 0; i < size(); ++i) {
        if (std::memcmp(values(i), other.values(i), sizeof(double) * outputs()) != 0) return false;
        const Route &a = routes_[i], &b = other.routes_[i];
        const Node &m = nodes_[i], &n = other.nodes_[i];
        if (std::tie(a.column, a.bias) != std::tie(b.column, b.bias) ||
            (!is_nominal_split(i) && a.threshold != b.threshold) ||
            std::tie(m.parent, m.cover, m.gain, m.rate) !=
                std::tie(n.parent, n.cover, n.gain, n.rate))
            return false;
        if (is_nominal_split(i) && nominal(i).default_child != other.nominal(i).default_child)
            return false;
        const bool under_nominal = i > 0 && is_nominal_split(m.parent);
        const std::uint32_t branch =
            under_nominal ? codes.here(static_cast<std::size_t>(feature(m.parent)), n.branch)
                          : n.branch;
        if (m.branch != branch) return false;
    }
    return true;
}

// -------------------------------------------------------------------------------------------------
// Trees
// -------------------------------------------------------------------------------------------------

namespace {

std::uint64_t rows_of(const LeafStatistics* s) {
    return s == nullptr ? 0 : s->rows();
}

}  // namespace

void Tree::check_merge(const Tree& other, const CategoryCodes& codes) const {
    if (layout_ != other.layout_ || !nodes_.are_the_same(other.nodes_, codes) ||
        n_updates_ != other.n_updates_ || n_splits_ != other.n_splits_)
        throw MergeError(
            "the trees are not the same: models can be merged only where no leaf has changed since "
            "they were copied");
}

void Tree::check_base(const Tree& base) const {
    bool is_base = base.rows_ <= rows_;
    for (NodeIndex i = 0; i < statistics_.size() && is_base; ++i)
        is_base = rows_of(base.statistics(i)) == 0 ||
                  (statistics(i) != nullptr && statistics(i)->may_come_from(*base.statistics(i)));
    if (!is_base) throw MergeError("base is not what both models have come from");
}

void Tree::merge(const Tree& other, const CategoryCodes& codes, const FeatureSpace& others,
                 const Tree* base, const FeatureSpace* bases, TreeContext& context) {
    flush_all(context);
    const std::uint64_t base_rows = base == nullptr ? 0 : base->rows_;
    const std::uint64_t rows = rows_ + (other.rows_ - base_rows);
    for (NodeIndex i = 0; i < statistics_.size(); ++i) {
        // The rows of the tree since the leaf's statistics began add up too.
        const std::uint64_t age = rows_ - nodes_[i].since;
        const std::uint64_t of_other = other.rows_ - other.nodes_[i].since;
        const std::uint64_t of_base = base == nullptr ? 0 : base_rows - base->nodes_[i].since;
        nodes_[i].since = rows - (age + of_other - of_base);
        if (rows_of(other.statistics(i)) == 0) continue;
        std::unique_ptr<LeafStatistics> of_base_leaf;
        if (base != nullptr && base->statistics(i) != nullptr)
            of_base_leaf =
                std::make_unique<LeafStatistics>(base->statistics(i)->without_waiting_rows(*bases));
        LeafStatistics& mine = statistics_of(i, context);
        mine.flush(context.features, context.flush);
        mine.merge({other.statistics(i)->without_waiting_rows(others), of_base_leaf.get()},
                   context.features, others, codes);
        account(i, context);
    }
    rows_ = rows;
}

// -------------------------------------------------------------------------------------------------
// Ensembles
// -------------------------------------------------------------------------------------------------

void Ensemble::check_merge(const Ensemble& other, const CategoryCodes& codes) const {
    if (combination_ != other.combination_ || members_.size() != other.members_.size())
        throw MergeError("the models have other numbers of members");
    objective().check_merge(other.objective());
    if (start() != other.start()) throw MergeError("the models start from other scores");
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const Member &mine = *members_[m], &others = *other.members_[m];
        if (mine.replacement.n_replaced() != others.replacement.n_replaced())
            throw MergeError(
                "trees have been replaced since the models were copied (see drifts_): they have "
                "not learned the same rows; on_drift='ignore' keeps them");
        if (mine.trees.size() != others.trees.size())
            throw MergeError("the models' classes differ");
        for (std::size_t t = 0; t < mine.trees.size(); ++t)
            mine.trees[t].tree.check_merge(others.trees[t].tree, codes);
    }
}

void Ensemble::check_base(const Ensemble& base) const {
    const std::vector<Place> mine = trees(), bases = base.trees();
    for (std::size_t t = 0; t < mine.size(); ++t) mine[t].tree.check_base(bases[t].tree);
}

void Ensemble::merge(const Ensemble& other, const FeatureSpace& others, const CategoryCodes& codes,
                     const Ensemble* base, const FeatureSpace* bases) {
    const std::uint64_t rows = n_rows() + other.n_rows() - (base == nullptr ? 0 : base->n_rows());
    for (std::size_t m = 0; m < members_.size(); ++m) {
        Member& member = *members_[m];
        const Member& of_other = *other.members_[m];
        const Member* of_base = base == nullptr ? nullptr : base->members_[m].get();
        member.following.restart(member.trees);
        member.restart_watch();
        for (std::size_t t = 0; t < member.trees.size(); ++t)
            member.trees[t].tree.merge(of_other.trees[t].tree, codes, others,
                                       of_base == nullptr ? nullptr : &of_base->trees[t].tree,
                                       bases, member.context);
        member.objective->merge(*of_other.objective,
                                of_base == nullptr ? nullptr : of_base->objective.get());
    }
    set_n_rows(rows);
    keep_within_budget();
}

// -------------------------------------------------------------------------------------------------
// Learners
// -------------------------------------------------------------------------------------------------

void Learner::check_merge(const Learner& other, const CategoryCodes& codes) const {
    if (has_linear_leaves() || other.has_linear_leaves())
        throw MergeError(
            "models with linear leaves cannot be merged: their leaves change with every row, so "
            "that copies differ at once; leaf_model='constant' can be merged");
    if (inference_only_ || other.inference_only_)
        throw MergeError("a model that was saved with inference_only=True has nothing to merge");
    if (warm_up_.is_active() || other.warm_up_.is_active())
        throw MergeError(
            "a model in its warm-up has no tree yet: give feature_ranges, or merge "
            "models that have come from one whose warm-up was over");
    if (round_.rows > 0 || other.round_.rows > 0)
        throw MergeError("a model in the middle of a round cannot be merged: round_rows is not 1");
    if (!late_.empty() || !other.late_.empty())
        throw MergeError("a feature that came late has no bins yet");
    const FeatureSpace &mine = features_, &others = other.features_;
    if (mine.size() != others.size() || mine.nominal() != others.nominal() ||
        mine.numeric() != others.numeric())
        throw MergeError("the models' features are not the same");
    for (std::size_t f = 0; f < mine.size(); ++f)
        if (mine.boundaries(f) != others.boundaries(f) ||
            mine.candidates(f) != others.candidates(f))
            throw MergeError("the bins of feature " + std::to_string(f) + " are not the same" +
                             (range_updates_.empty() && other.range_updates_.empty()
                                  ? ""
                                  : ": its range was updated in one of the models"));
    ensemble_.check_merge(other.ensemble_, codes);
}

void Learner::merge(const Learner& other, const CategoryCodes& codes, const Learner* base) {
    if (&other == this || base == this) throw MergeError("a model cannot be merged with itself");
    const std::lock_guard one_learns(one_learns_);
    std::unique_lock mine(access_, std::defer_lock);
    std::shared_lock others(other.access_, std::defer_lock);
    std::shared_lock<std::shared_mutex> bases;
    if (base != nullptr && base != &other) {
        bases = std::shared_lock(base->access_, std::defer_lock);
        std::lock(mine, others, bases);
    } else {
        std::lock(mine, others);
    }
    check_merge(other, codes);
    if (base != nullptr) {
        // Categories are only ever appended: those of a base have the same numbers everywhere.
        check_merge(*base, CategoryCodes());
        ensemble_.check_base(base->ensemble_);
        other.ensemble_.check_base(base->ensemble_);
    }
    const CodeWidth old_width = features_.width();
    if (const std::uint32_t largest = codes.largest(); largest > 0)
        features_.admit_category(largest - 1);
    if (features_.width() != old_width)
        ensemble_.for_each_tree([&](Tree& tree, TreeContext& context) {
            tree.reshape_rows(features_.size(), old_width, context);
        });
    ensemble_.merge(other.ensemble_, other.features_, codes,
                    base == nullptr ? nullptr : &base->ensemble_,
                    base == nullptr ? nullptr : &base->features_);
}

}  // namespace sgt
