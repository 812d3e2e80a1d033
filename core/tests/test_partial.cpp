// Partial statistics: what they hold, how they add up, and that the model does not depend on who
// gathers them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "sgt/rounds/partial.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::Committee;
using learners::learn;
using learners::VectorTree;
using streams::Shape;
using streams::Stream;

namespace {

constexpr std::size_t kRound = 3 * kRowsOfSmallBlock + 777;
const std::size_t kBlock = RoundSize{kRound, true}.rows_of_block();

Options options_of_rounds(std::size_t kept_rows) {
    Options options = learners::options_of({100, 40, 1e-2, 0.05});
    options.kept_rows = kept_rows;
    options.round_rows = kRound;
    return options;
}

Options that_never_change(std::size_t kept_rows, std::size_t round_rows) {
    Options options = options_of_rounds(kept_rows);
    options.grace_period = 100'000'000;
    options.round_rows = round_rows;
    return options;
}

template <class Model>
Partial gather(Model& model, const Stream& s, std::size_t begin, std::size_t end) {
    const double* w = s.weights() == nullptr ? nullptr : s.weights() + begin;
    // In two pieces, wherever they are cut.
    const std::size_t middle = begin + (end - begin) / 3;
    return model.gather({s.view(begin, middle), s.view(middle, end)}, s.y.data() + begin, w);
}

// As it comes over a wire.
Partial sent(Partial partial) {
    Archive archive;
    std::move(partial).save(archive);
    return Partial::load(archive);
}

// One model learns all rows; another absorbs what copies that only predict have gathered.
template <class Model>
void copies_gather(const std::function<std::unique_ptr<Model>(const ArchiveView*)>& make,
                   const Stream& s) {
    const auto whole = make(nullptr), leader = make(nullptr);
    const std::size_t start = 100, rounds = 3;
    learn(*whole, s, 0, start + rounds * kRound);
    learn(*leader, s, 0, start);
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::size_t at = start + round * kRound;
        const Archive frozen = leader->save(true);
        const ArchiveView view(frozen);
        const auto a = make(&view), b = make(&view);
        Partial first = gather(*a, s, at, at + 2 * kBlock);
        Partial third = gather(*b, s, at + 2 * kBlock, at + 3 * kBlock);
        Partial rest = gather(*a, s, at + 3 * kBlock, at + kRound);
        const Partial later = b->add(sent(std::move(third)), sent(std::move(rest)));
        leader->absorb(a->add(sent(std::move(first)), sent(later)));
    }
    CHECK(whole->n_splits() > 3);
    CHECK(streams::difference(whole->save(), leader->save()) == "");
}

Shape shape_of(std::size_t classes) {
    return {.rows = 100 + 3 * kRound,
            .nominal = {false, true, false},
            .classes = classes,
            .categories = 40,
            .missing = 0.05,
            .seed = 11 + classes};
}

template <class Model>
auto maker(std::size_t kept_rows, const Shape& shape) {
    return [=](const ArchiveView* from) {
        const Options options = options_of_rounds(kept_rows);
        return from == nullptr ? std::make_unique<Model>(options, shape.nominal, nullptr)
                               : std::make_unique<Model>(options, *from);
    };
}

}  // namespace

TEST(whoever_gathers_the_model_is_the_same) {
    for (const std::size_t kept : {0U, 30U, 500U, 1'000'000U}) {
        for (const std::size_t classes : {2U, 4U}) {
            const Shape shape = shape_of(classes);
            copies_gather<Committee>(maker<Committee>(kept, shape), streams::make(shape));
        }
        const Shape of_vectors = shape_of(3), of_numbers = shape_of(0);
        copies_gather<VectorTree>(maker<VectorTree>(kept, of_vectors), streams::make(of_vectors));
        for (const std::string loss : {"squared_error", "log_cosh"})
            copies_gather<LossLearner>(
                [&](const ArchiveView* from) {
                    const Options options = options_of_rounds(kept);
                    return from == nullptr
                               ? std::make_unique<LossLearner>(options, of_numbers.nominal, nullptr,
                                                               make_loss(loss, {}))
                               : std::make_unique<LossLearner>(options, *from, make_loss(loss, {}));
                },
                streams::make(of_numbers));
    }
}

TEST(a_leaf_keeps_the_rows_and_sums_that_it_keeps_row_by_row) {
    Shape shape = shape_of(4);
    shape.nominal = {false, false, false};  // cells of categories are in order of appearance
    const Stream s = streams::make(shape);
    for (const std::size_t kept : {7U, 500U}) {
        Committee by_row(that_never_change(kept, 1), shape.nominal, nullptr);
        Committee in_rounds(that_never_change(kept, kRound), shape.nominal, nullptr);
        learn(by_row, s, 0, s.rows);
        learn(in_rounds, s, 0, s.rows);
        in_rounds.end_round();
        by_row.add_features({}, nullptr);  // no rows wait then
        in_rounds.add_features({}, nullptr);
        const Archive a = by_row.save(), b = in_rounds.save();
        for (std::size_t t = 0; t < by_row.n_trees(); ++t) {
            const std::string prefix = "tree" + std::to_string(t) + "/leaves/";
            CHECK(a.get<std::uint8_t>(prefix + "codes") == b.get<std::uint8_t>(prefix + "codes"));
            const auto &x = a.get<double>(prefix + "numbers"),
                       &y = b.get<double>(prefix + "numbers");
            CHECK(x.size() == y.size());
            double most = 0.0, scale = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                most = std::fmax(most, std::fabs(x[i] - y[i]));
                scale = std::fmax(scale, std::fabs(x[i]));
            }
            CHECK(most < 1e-12 * scale);
        }
    }
}

TEST(few_rows_come_as_they_are) {
    const Shape shape = shape_of(4);
    const Stream s = streams::make(shape);
    Committee model(that_never_change(25, kRound), shape.nominal, nullptr);
    learn(model, s, 0, 100);
    const Partial few = gather(model, s, 100, 150), more = gather(model, s, 150, 201);
    CHECK(few.trees.size() == 3);
    for (const PartialTree& tree : few.trees) {
        CHECK(tree.n_leaves() == 1);
        CHECK(!tree.leaf(0).has_sums);
        CHECK(tree.leaf(0).latest.size() == 50);
        CHECK(tree.leaf(0).numeric.empty());
    }
    CHECK(few.kept.size() == 50);
    for (const PartialTree& tree : more.trees) {
        CHECK(tree.leaf(0).has_sums);
        CHECK(tree.leaf(0).rows == 51);
        CHECK(tree.leaf(0).latest.size() == 25);
        CHECK(tree.leaf(0).latest.back() == 24);
    }
    const Partial sum = model.add(few, more);
    CHECK(sum.rows == 101);
    CHECK(sum.kept.size() == 25);
    CHECK(sum.trees[0].leaf(0).rows == 101);
    CHECK(sum.trees[0].leaf(0).weight == 101.0);
    CHECK(sum.trees[0].leaf(0).latest.size() == 25);
    Committee without(that_never_change(0, kRound), shape.nominal, nullptr);
    learn(without, s, 0, 100);
    const Partial sums = gather(without, s, 100, 102);
    CHECK(sums.kept.size() == 0);
    CHECK(sums.trees[0].leaf(0).has_sums);
}

TEST(rows_are_widened_joined_and_let_go) {
    PartialRows first, later;
    first.codes.shape(2, 3, CodeWidth::one);
    later.codes.shape(1, 3, CodeWidth::two);
    for (std::size_t i = 0; i < 6; ++i) first.codes.bytes[i] = static_cast<std::byte>(i);
    auto* codes = reinterpret_cast<std::uint16_t*>(later.codes.bytes.data());
    codes[0] = 300, codes[1] = 7, codes[2] = 0;
    first.weights = {1.0, 2.0};
    later.weights = {3.0};
    first.widen(CodeWidth::two);
    first.append(later);
    CHECK(first.size() == 3);
    const std::vector<std::uint32_t> numbers = first.keep({false, true, true});
    CHECK(numbers[1] == 0);
    CHECK(numbers[2] == 1);
    CHECK(first.weights == (std::vector<double>{2.0, 3.0}));
    const auto* kept = reinterpret_cast<const std::uint16_t*>(first.codes.bytes.data());
    CHECK(kept[0] == 3);
    CHECK(kept[3] == 300);
    CHECK(first.codes.bytes.size() == 12);
}

TEST(a_negative_category_number_is_refused) {
    const Shape shape{.rows = 300, .nominal = {true, false}, .classes = 2};
    Stream s = streams::make(shape);
    Committee model(that_never_change(0, kRound), shape.nominal, nullptr);
    learn(model, s, 0, 200);
    const Archive before = model.save();
    s.x[2 * 250] = -1.0;
    CHECK_THROWS(std::invalid_argument, gather(model, s, 200, 300));
    CHECK_THROWS(std::invalid_argument, learn(model, s, 200, 300));
    CHECK(streams::difference(before, model.save()) == "");
}

TEST(a_class_is_admitted_after_the_warm_up_only) {
    const Shape shape = shape_of(4);
    Committee model(that_never_change(0, kRound), shape.nominal, nullptr);
    learn(model, streams::make(shape), 0, 50);
    const Archive before = model.save();
    CHECK_THROWS(std::invalid_argument, model.admit_class(1.0));
    CHECK(streams::difference(before, model.save()) == "");
}

TEST(what_cannot_have_been_gathered_is_refused) {
    const Shape shape = shape_of(4);
    const Stream s = streams::make(shape);
    Committee model(that_never_change(50, kRound), shape.nominal, nullptr);
    learn(model, s, 0, 100);
    Archive whole;
    gather(model, s, 100, 201).save(whole);
    const Archive before = model.save();
    const auto refuses = [&](const Archive& archive) {
        CHECK_THROWS(std::invalid_argument, model.absorb(Partial::load(archive)));
        CHECK_THROWS(std::invalid_argument,
                     model.add(Partial::load(archive), Partial::load(archive)));
    };
    const auto with = [&]<class T>(const std::string& name, std::size_t at, T value) {
        Archive damaged = whole;
        std::vector<T> values = damaged.get<T>(name);
        values.at(at) = value;
        damaged.put(name, values);
        refuses(damaged);
    };
    with("tree0/leaves", 0, std::int64_t{1});        // a node that is not there
    with("tree0/leaves", 1, std::int64_t{3});        // a category at a leaf
    with("tree0/leaves", 3, std::int64_t{51});       // more rows than there are
    with("tree0/leaves", 4, std::int64_t{0});        // sums, but none
    with("tree0/leaves", 5, std::int64_t{1} << 40);  // too many cells
    with("tree0/latest", 196, std::uint8_t{200});    // a row that is not there
    with("tree0/numeric", 3, std::uint8_t{255});     // a cell that is not there
    with("tree0/layout", 0, std::int64_t{0});        // another kind of sums
    with("rows/shape", 1, std::int64_t{2});          // other columns
    with("rows/codes", 0, std::uint8_t{255});        // a bin that is not there
    with("counts", 2, std::int64_t{2});              // another number of trees
    for (const auto& [name, array] : whole.arrays()) {
        Archive shorter = whole;
        std::visit(
            [&, &key = name](auto values) {
                if (values.empty()) return;
                values.pop_back();
                shorter.put(key, values);
                refuses(shorter);
            },
            array);
    }
    CHECK(streams::difference(before, model.save()) == "");
}

// A code of which no table of categories can have so many; memory follows the largest code.
constexpr std::uint32_t kEnormous = 4'000'000'000;
using Counts = std::vector<std::int64_t>;

TEST(a_category_that_does_not_exist_is_refused_before_memory_is_asked_for) {
    const Shape shape{.rows = 900, .nominal = {false, true, false}, .classes = 2};
    const Stream s = streams::make(shape);
    const Counts known{0, 5, 0};
    for (const std::size_t kept : {0U, 500U}) {  // as sums, and as rows
        Committee model(that_never_change(kept, kRound), shape.nominal, nullptr);
        learn(model, s, 0, 100);
        const Partial partial = gather(model, s, 500, 700);
        CHECK(partial.trees[0].leaf(0).has_sums == (kept == 0));
        Archive damaged;
        Partial(partial).save(damaged);
        if (kept == 0) {
            auto cells = damaged.get<std::uint8_t>("tree0/nominal");
            std::memcpy(cells.data() + cells.size() - sizeof(kEnormous), &kEnormous,
                        sizeof(kEnormous));
            damaged.put("tree0/nominal", cells);
        } else {
            PartialRows rows = partial.kept;
            rows.widen(CodeWidth::four);
            std::memcpy(rows.codes.bytes.data() + sizeof(kEnormous), &kEnormous, sizeof(kEnormous));
            std::move(rows).save(damaged, "rows/");
        }
        const Archive before = model.save();
        const auto load = [&] { return Partial::load(damaged); };
        CHECK_THROWS(std::invalid_argument, model.absorb(load(), known));
        CHECK_THROWS(std::invalid_argument, model.add(partial, load(), known));
        CHECK_THROWS(std::invalid_argument, model.add(load(), partial, known));
        CHECK_THROWS(std::invalid_argument, model.absorb(partial, Counts{0, 4, 0}));
        CHECK_THROWS(std::invalid_argument, model.absorb(partial, Counts{0, 5}));
        CHECK(streams::difference(before, model.save()) == "");
        model.absorb(partial, known);
        // In a saved model its own table of categories is the bound.
        Archive saved = model.save();
        saved.put("features/categories", known);
        const Committee whole(that_never_change(kept, kRound), saved);
        for (const auto& [name, array] : damaged.arrays())
            std::visit([&, &key = name](const auto& v) { saved.put("round/part0/" + key, v); },
                       array);
        CHECK_THROWS(std::invalid_argument, Committee(that_never_change(kept, kRound), saved));
    }
}

TEST(a_branch_of_a_category_that_does_not_exist_is_refused) {
    const Shape shape{.rows = 1500, .nominal = {true}, .classes = 2, .categories = 4};
    Stream s = streams::make(shape);
    Options options = options_of_rounds(20);
    options.round_rows = 200;
    Committee model(options, shape.nominal, nullptr);
    learn(model, s, 0, 1300);
    CHECK(model.n_splits() > 0);
    s.x[1400] = 4.0;  // the split at the root does not know it
    Archive whole;
    gather(model, s, 1400, 1500).save(whole);
    const auto absorb = [&](std::int64_t branch) {
        Archive changed = whole;
        auto leaves = changed.get<std::int64_t>("tree0/leaves");
        CHECK(leaves.at(1) == 5);
        leaves[1] = branch;
        changed.put("tree0/leaves", leaves);
        Committee copy(options, model.save());
        copy.absorb(Partial::load(changed), Counts{5});
    };
    absorb(5);
    CHECK_THROWS(std::invalid_argument, absorb(6));
    CHECK_THROWS(std::invalid_argument, absorb(kEnormous));
}

TEST(a_round_has_room_for_its_rows_only) {
    const Shape shape = shape_of(2);
    const Stream s = streams::make(shape);
    Options options = options_of_rounds(20);
    options.round_rows = 60;
    Committee model(options, shape.nominal, nullptr);
    learn(model, s, 0, 100);
    CHECK_THROWS(std::invalid_argument, model.absorb(gather(model, s, 100, 161)));
    model.absorb(gather(model, s, 100, 140));
    CHECK(model.round().rows == 40);
    CHECK_THROWS(std::invalid_argument, model.absorb(gather(model, s, 140, 161)));
    model.absorb(gather(model, s, 140, 160));
    CHECK(model.round().rows == 0);
}

TEST(a_row_of_a_new_class_ends_the_round_before_it) {
    const Shape shape{.rows = 900, .nominal = {false, false}, .classes = 3, .late_class_from = 450};
    const Stream s = streams::make(shape);
    Options options = options_of_rounds(10);
    options.round_rows = 200;
    Committee model(options, shape.nominal, nullptr);
    std::size_t first = 450;
    while (s.y[first] != 2.0) ++first;
    learn(model, s, 0, first);
    CHECK(model.round().rows == (first - 100) % 200 && model.round().rows > 0);
    learn(model, s, first, first + 1);
    CHECK(model.round().rows == 1);
    CHECK(model.n_classes() == 3);
}

TEST(so_many_outputs_are_refused_by_name) {
    const Shape shape = shape_of(4);
    Committee model(that_never_change(0, kRound), shape.nominal, nullptr);
    learn(model, streams::make(shape), 0, 100);
    Archive archive;
    gather(model, streams::make(shape), 100, 150).save(archive);
    const auto message = [&](std::int64_t outputs) -> std::string {
        archive.put<std::int64_t>("tree0/layout", {0, outputs});
        try {
            Partial::load(archive);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    const auto names_layout = [](const std::string& text) {
        return text.find("layout") != std::string::npos;
    };
    CHECK(names_layout(message(0)));
    CHECK(!names_layout(message(1 << 24)));
    CHECK(names_layout(message((1 << 24) + 1)));
}

TEST(categories_that_a_copy_was_first_to_see_widen_the_codes) {
    const Shape shape{.rows = 600, .nominal = {true, false}, .classes = 2};
    Stream s = streams::make(shape);
    for (std::size_t r = 500; r < 600; ++r) s.x[2 * r] = 300.0 + static_cast<double>(r % 3);
    const auto width = [](const Committee& model) {
        return learners::read_features(model, [](const FeatureSpace& f) { return f.width(); });
    };
    for (const std::size_t kept : {0U, 80U}) {  // as sums, and as rows
        const Options options = that_never_change(kept, kRound);
        Committee model(options, shape.nominal, nullptr), whole(options, shape.nominal, nullptr);
        learn(model, s, 0, 200);
        learn(whole, s, 0, 200);
        model.end_round();
        whole.end_round();
        Committee copy(options, model.save());
        Partial partial = sent(gather(copy, s, 500, 600));
        CHECK(width(model) == CodeWidth::one);
        model.absorb(std::move(partial));
        CHECK(width(model) == CodeWidth::two);
        model.end_round();
        learn(whole, s, 500, 600);
        whole.end_round();
        CHECK(streams::difference(model.save(), whole.save()) == "");
    }
}

TEST(a_short_automatic_round_is_learned_row_by_row) {
    const Shape shape = shape_of(2);
    const Stream s = streams::make(shape);
    const auto learned = [&](std::size_t round_rows) {
        Options options = options_of_rounds(20);
        options.round_rows = round_rows;
        auto model = std::make_unique<Committee>(options, shape.nominal, nullptr);
        learn(*model, s, 0, 900);
        CHECK(!model->round().size.is_frozen || round_rows == 1);
        return model;
    };
    const auto in_rounds = learned(kAutomaticRounds), by_row = learned(1);
    CHECK(by_row->n_splits() > 0);
    const Archive a = in_rounds->save(), b = by_row->save();
    for (const char* name : {"tree0/nodes/value", "tree0/leaves/numbers"})
        CHECK(streams::same_bits(a.get<double>(name), b.get<double>(name)));
    CHECK(in_rounds->n_rows() == by_row->n_rows());
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
