#include "sgt/learner/bag_loop.hpp"

#include <algorithm>
#include <vector>

#include "sgt/learner/loss_objective.hpp"
#include "sgt/learner/row_learner.hpp"

namespace sgt {

namespace {

// Bags have constant leaves only.
template <class Code>
class BagLoop {
public:
    BagLoop(Member& member, const CodeBlock& codes, const LabelledRows& rows)
        : member_(member), learner_(member, codes, rows), rows_(learner_.rows()) {}

    void learn(const Bags& bags, const MemberRows& of_member) {
        rows_.set_member_rows(of_member);
        std::size_t row = 0;
        for (std::size_t bag = 0; bag < bags.size(); row += bags.sizes[bag++])
            if (bags.weights[bag] != 0.0) learn_bag(bags, bag, row);
    }

private:
    // Its instances begin with this row.
    void learn_bag(const Bags& bags, std::size_t bag, std::size_t row) {
        const MemberRows& of_member = rows_.member_rows();
        const std::size_t n = bags.sizes[bag];
        scores_.clear();
        for (std::size_t r = row; r < row + n; ++r) {
            scores_.push_back(*rows_.score(r));
            if (of_member.scores != nullptr) rows_.write_member_scores(r);
        }
        BagObjective& objective = learner_.objective();
        if (of_member.losses != nullptr)
            of_member.losses[bag] = objective.loss(bags.labels[bag], of_member.scores + row, n);
        TreeSet& trees = rows_.trees();
        const double w = bags.weights[bag] * trees.options().copies(member_.context.n_rows);
        objective.set_bag(bags.labels[bag], w, scores_);
        for (std::size_t t = 0; t < trees.size() && w != 0.0; ++t) learn_in_tree(t, row, row + n);
        member_.context.n_rows += n;
        member_.keep_within_budget();
    }

    void learn_in_tree(std::size_t t, std::size_t begin, std::size_t end) {
        Tree& tree = rows_.trees()[t].tree;
        TreeContext& context = member_.context;
        std::vector<NodeIndex>& due = rows_.scratch().due;
        due.clear();
        for (std::size_t r = begin; r < end; ++r) {
            const Code* row = rows_.codes(r);
            // Another instance of the bag may have made a leaf for this one's category meanwhile.
            const NodeIndex node = tree.nodes().descend(rows_.node(t, r), row);
            const NodeIndex leaf = learner_.leaf_for_learning(tree, node, row);
            if (leaf == kNoNode) continue;
            const double* record = learner_.objective().record(r - begin);
            if (!tree.add(leaf, rows_.codes().row(r), record, context)) continue;
            tree.flush(leaf, context);
            if (std::find(due.begin(), due.end(), leaf) == due.end()) due.push_back(leaf);
        }
        for (const NodeIndex leaf : due)
            tree.consider(leaf, member_.reader_at(tree, leaf), context);
    }

    Member& member_;
    RowLearner<BagObjective, ConstantLeaves, Code> learner_;
    ScoredRows<ConstantLeaves, Code>& rows_;
    std::vector<double> scores_;  // of a bag's instances
};

}  // namespace

void learn_bags(Member& member, const CodeBlock& codes, const LabelledRows& rows, const Bags& bags,
                const MemberRows& of_member) {
    with_code_type(codes.width, [&]<class Code>(Code) {
        BagLoop<Code>(member, codes, rows).learn(bags, of_member);
    });
}

}  // namespace sgt
