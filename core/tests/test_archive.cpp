#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "check.hpp"
#include "learners.hpp"
#include "sgt/archive/archive.hpp"
#include "sgt/archive/feature_archive.hpp"
#include "sgt/data/binning.hpp"
#include "streams.hpp"

using namespace sgt;
using learners::Committee;
using learners::VectorTree;
using streams::difference;
using streams::Random;
using streams::Shape;
using streams::Stream;

namespace {

Options quick_options() {
    return learners::options_of({120, 40, 1e-3, 0.1});
}

enum class Kind { committee, vector_tree, one_target, several_targets, several_labels };
constexpr std::size_t kOutputs = 3;  // of several targets or labels

// Any learner behind the same calls.
class Model {
public:
    Model(Kind kind, const Options& options, const std::vector<bool>& nominal) {
        if (kind == Kind::committee)
            classes_ = std::make_unique<Committee>(options, nominal, nullptr);
        else if (kind == Kind::vector_tree)
            classes_ = std::make_unique<VectorTree>(options, nominal, nullptr);
        else
            loss_ = std::make_unique<LossLearner>(options, nominal, nullptr, losses(kind),
                                                  targets(kind));
    }
    Model(Kind kind, const Options& options, const Archive& archive) {
        if (kind == Kind::committee)
            classes_ = std::make_unique<Committee>(options, archive);
        else if (kind == Kind::vector_tree)
            classes_ = std::make_unique<VectorTree>(options, archive);
        else
            loss_ = std::make_unique<LossLearner>(options, archive, losses(kind), targets(kind));
    }

    static std::size_t targets(Kind kind) {
        return kind == Kind::several_targets || kind == Kind::several_labels ? kOutputs : 1;
    }
    static bool classifies(Kind kind) {
        return kind == Kind::committee || kind == Kind::vector_tree;
    }
    // Rows of this shape, with the targets that the kind has.
    static Stream stream(Kind kind, const Shape& shape) {
        Stream s = streams::make_targets(shape, targets(kind));
        if (kind == Kind::several_labels)
            for (std::size_t i = 0; i < s.y.size(); ++i)
                s.y[i] = s.y[i] > (i % kOutputs == 0 ? 15.0 : static_cast<double>(i % kOutputs));
        return s;
    }

    Learner& learner() {
        return classes_ ? static_cast<Learner&>(*classes_) : *loss_;
    }
    void learn(const Stream& s, std::size_t begin, std::size_t end) {
        const double* w = s.weights() == nullptr ? nullptr : s.weights() + begin;
        if (classes_)
            classes_->learn(s.view(begin, end), s.y.data() + begin, w, nullptr);
        else
            loss_->learn(s.view(begin, end), s.y.data() + begin * loss_->n_outputs(), w, nullptr);
    }
    std::vector<double> predictions(const RowsView& x) const {
        if (loss_) {
            std::vector<double> raw(x.rows * loss_->n_outputs());
            loss_->predict(x, raw.data());
            return raw;
        }
        const std::size_t k = std::min<std::size_t>(classes_->n_classes(), 64);
        std::vector<std::int32_t> rank(k + 1, 0), labels(x.rows);
        std::vector<double> p(x.rows * k);
        ClassPredictions out;
        out.rank = rank.data();
        out.labels = labels.data();
        out.probabilities = p.data();
        out.stride = out.most_classes = k;
        classes_->predict(x, out);
        return p;
    }

private:
    static LossLearner::Losses losses(Kind kind) {
        const char* name = kind == Kind::several_labels    ? "log_loss"
                           : kind == Kind::several_targets ? "huber"
                                                           : "squared_error";
        LossLearner::Losses all;
        for (std::size_t j = 0; j < targets(kind); ++j) all.push_back(make_loss(name, {}));
        return all;
    }

    std::unique_ptr<ClassLearner> classes_;
    std::unique_ptr<LossLearner> loss_;
};

struct Case {
    Kind kind = Kind::committee;
    Options options = quick_options();
    Shape shape;

    Stream stream() const {
        return Model::stream(kind, shape);
    }
    // A model that has learned so many rows of the stream.
    Model learned(const Stream& s, std::size_t rows) const {
        Model model(kind, options, shape.nominal);
        model.learn(s, 0, rows);
        return model;
    }
    Archive saved(const Stream& s, std::size_t rows) const {
        return learned(s, rows).learner().save();
    }
};

// Those with vectors in their leaves.
std::vector<Case> vector_cases() {
    std::vector<Case> all;
    all.push_back({Kind::vector_tree,
                   quick_options(),
                   {.rows = 3000,
                    .nominal = {false, true, false},
                    .classes = 5,
                    .missing = 0.1,
                    .weighted = true,
                    .seed = 5,
                    .late_class_from = 1000}});
    all.push_back(
        {Kind::vector_tree,
         quick_options(),
         {.rows = 2000, .nominal = {true, true}, .classes = 3, .categories = 400, .seed = 6}});
    Case limited = all[0];
    limited.options.max_memory = 15'000;
    all.push_back(limited);
    for (const Kind kind : {Kind::several_targets, Kind::several_labels}) {
        all.push_back({kind,
                       quick_options(),
                       {.rows = 2500, .nominal = {false, true, false}, .missing = 0.1, .seed = 7}});
        Case quantiles = all.back();
        quantiles.options.quantile_bins = true;
        quantiles.options.max_leaves = 6;
        quantiles.options.max_memory = 60'000;
        all.push_back(quantiles);
    }
    return all;
}

std::vector<Case> cases() {
    std::vector<Case> all;
    all.push_back({Kind::committee,
                   quick_options(),
                   {.rows = 3000, .classes = 2, .missing = 0.1, .seed = 1}});
    all.push_back({Kind::committee,
                   quick_options(),
                   {.rows = 3000,
                    .nominal = {false, true, false},
                    .classes = 4,
                    .weighted = true,
                    .seed = 2,
                    .late_class_from = 1000}});
    all.push_back(
        {Kind::committee,
         quick_options(),
         {.rows = 2000, .nominal = {true, true}, .classes = 2, .categories = 400, .seed = 3}});
    all.push_back({Kind::one_target,
                   quick_options(),
                   {.rows = 3000, .nominal = {false, true, false}, .missing = 0.1, .seed = 4}});
    Case limited = all[1];
    limited.options.max_memory = 15'000;
    all.push_back(limited);
    Case quantiles = all[3];
    quantiles.options.quantile_bins = true;
    quantiles.options.max_leaves = 9;
    all.push_back(quantiles);
    Case linear = all[3];
    linear.options.linear_leaves = true;
    all.push_back(linear);
    Case rounds = all[1];
    rounds.options.round_rows = 400;
    rounds.options.kept_rows = 20;
    all.push_back(rounds);
    for (const Case& c : vector_cases()) all.push_back(c);
    return all;
}

}  // namespace

TEST(arrays_are_read_back_by_name_type_and_size) {
    Archive archive;
    archive.put<double>("numbers", {1.5, 2.5});
    archive.put<std::int64_t>("integers", {7});
    CHECK(archive.has("numbers") && !archive.has("other"));
    CHECK(archive.get<double>("numbers") == std::vector<double>({1.5, 2.5}));
    CHECK_THROWS(std::invalid_argument, archive.get<double>("other"));
    CHECK_THROWS(std::invalid_argument, archive.get<double>("integers"));
    const ArchiveView view = archive;
    CHECK(view.has("numbers") && !view.has("other"));
    CHECK(to_vector(view.get<double>("numbers")) == std::vector<double>({1.5, 2.5}));
    CHECK(view.get_one<std::int64_t>("integers") == 7 && view.get_count("integers") == 7);
    CHECK_THROWS(std::invalid_argument, view.get<double>("other"));
    CHECK_THROWS(std::invalid_argument, view.get<double>("integers"));
    CHECK_THROWS(std::invalid_argument, view.get<double>("numbers", 3));
    CHECK_THROWS(std::invalid_argument, view.get_one<double>("numbers"));
    archive.put<std::int64_t>("integers", {-1});
    CHECK_THROWS(std::invalid_argument, ArchiveView(archive).get_count("integers"));
}

TEST(a_reader_of_an_array_knows_where_it_ends) {
    Archive archive;
    archive.put<double>("a", {1, 2, 3});
    ArrayReader<double> reader(archive, "a");
    CHECK(reader.next() == 1.0);
    CHECK_THROWS(std::invalid_argument, reader.finish());
    CHECK_THROWS(std::invalid_argument, reader.take(3));
    CHECK_THROWS(std::invalid_argument, reader.take(std::numeric_limits<std::size_t>::max()));
    CHECK(reader.take(2)[1] == 3.0);
    reader.finish();
    CHECK_THROWS(std::invalid_argument, reader.next());
}

TEST(a_model_that_was_saved_and_loaded_goes_on_bit_for_bit) {
    Random random(1);
    for (const Case& c : cases()) {
        const Stream s = c.stream();
        Model whole(c.kind, c.options, c.shape.nominal);
        auto parts = std::make_unique<Model>(c.kind, c.options, c.shape.nominal);
        for (std::size_t begin = 0; begin < s.rows;) {
            const std::size_t end = std::min(s.rows, begin + 1 + random.below(400));
            whole.learn(s, begin, end);
            parts->learn(s, begin, end);
            const Archive archive = parts->learner().save();
            CHECK(difference(whole.learner().save(), archive) == "");
            parts = std::make_unique<Model>(c.kind, c.options, archive);
            CHECK(difference(archive, parts->learner().save()) == "");
            CHECK(parts->learner().memory_bytes() == whole.learner().memory_bytes());
            begin = end;
        }
        CHECK(whole.learner().n_splits() > 0);
    }
}

TEST(late_features_survive_saving) {
    const Shape early{.rows = 600, .nominal = {false}, .classes = 2, .seed = 5};
    const Shape late{
        .rows = 1500, .nominal = {false, false, true}, .classes = 2, .missing = 0.3, .seed = 6};
    const Stream a = streams::make(early), b = streams::make(late);
    Model whole(Kind::committee, quick_options(), early.nominal);
    whole.learn(a, 0, a.rows);
    whole.learner().add_features({false, true}, nullptr);
    auto parts = std::make_unique<Model>(Kind::committee, quick_options(), whole.learner().save());
    for (std::size_t begin = 0; begin < b.rows; begin += 70) {
        const std::size_t end = std::min(begin + 70, b.rows);
        whole.learn(b, begin, end);
        parts->learn(b, begin, end);
        parts = std::make_unique<Model>(Kind::committee, quick_options(), parts->learner().save());
        CHECK(difference(whole.learner().save(), parts->learner().save()) == "");
    }
}

TEST(a_model_may_be_loaded_with_other_options) {
    const Case c = cases()[1];
    const Stream s = c.stream();
    for (const std::size_t rows : {1500U, 1507U, 1531U}) {
        Options many = c.options;
        many.grace_period = 1000;
        Model model(Kind::committee, many, c.shape.nominal);
        model.learn(s, 0, rows);
        for (const std::size_t grace_period : {2U, 3U, 20U, 5000U}) {
            Options changed = many;
            changed.grace_period = grace_period;
            changed.max_leaves = 3;
            changed.max_memory = 6000;
            changed.n_threads = 2;
            Model loaded(Kind::committee, changed, model.learner().save());
            loaded.learn(s, rows, s.rows);
            loaded.predictions(s.view());
            CHECK(loaded.learner().n_rows() > rows / 2);
        }
    }
}

TEST(rows_that_wait_keep_their_room_where_a_model_is_loaded_with_a_shorter_grace_period) {
    // As many rows as the buffer has room for, at each of its sizes.
    const Stream s = streams::make({.rows = 400, .nominal = {false, true, false}});
    for (const std::size_t rows : {3U, 4U, 16U, 63U, 64U, 65U, 200U})
        for (const std::size_t grace_period : {2U, 5U, 17U, 100U}) {
            Options options = quick_options();
            options.warm_up = 2;
            options.grace_period = 1000;
            Model model(Kind::one_target, options, std::vector<bool>{false, true, false});
            model.learn(s, 0, rows);
            options.grace_period = grace_period;
            Model loaded(Kind::one_target, options, model.learner().save());
            loaded.learn(s, rows, s.rows);
            CHECK(loaded.learner().n_rows() == s.rows);
            CHECK(loaded.learner().n_updates() + loaded.learner().n_splits() > 0);
        }
}

TEST(an_archive_of_another_kind_of_model_is_refused) {
    // In the warm-up, and with a tree.
    for (const std::size_t rows : {50U, 1000U})
        for (const Case& c :
             {cases()[0], cases()[3], vector_cases()[0], vector_cases()[3], vector_cases()[5]}) {
            const Archive archive = c.saved(c.stream(), rows);
            for (const Kind other : {Kind::committee, Kind::vector_tree, Kind::one_target,
                                     Kind::several_targets, Kind::several_labels}) {
                // In the warm-up targets and labels are alike: numbers that wait.
                const bool both_wait = rows == 50 && Model::targets(other) == kOutputs &&
                                       Model::targets(c.kind) == kOutputs;
                if (other == c.kind || both_wait) continue;
                CHECK_THROWS(std::invalid_argument, Model(other, c.options, archive));
            }
        }
}

TEST(another_number_of_outputs_is_refused) {
    const Shape shape{.rows = 1000, .seed = 8};
    const auto losses = [](std::size_t n) {
        LossLearner::Losses all;
        for (std::size_t j = 0; j < n; ++j) all.push_back(make_loss("squared_error", {}));
        return all;
    };
    for (const std::size_t rows : {50U, 1000U}) {
        LossLearner model(quick_options(), shape.nominal, nullptr, losses(3), 3);
        const Stream s = streams::make_targets(shape, 3);
        model.learn(s.view(0, rows), s.y.data(), nullptr, nullptr);
        const Archive archive = model.save();
        CHECK(LossLearner(quick_options(), archive, losses(3), 3).n_outputs() == 3);
        for (const std::size_t other : {1U, 2U, 4U, 6U})
            CHECK_THROWS(std::invalid_argument,
                         LossLearner(quick_options(), archive, losses(other), other));
    }
}

namespace {

std::int64_t strange_integer(std::int64_t old, Random& random) {
    // Wraps around, as unsigned numbers do.
    const auto of = [&](std::uint64_t factor, std::uint64_t term) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) * factor + term);
    };
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t some[] = {-1,           0,          1,           2,          3,
                                 255,          256,        65'535,      1'000'000,  of(1, 1),
                                 of(1, ~0ULL), of(2, 0),   kMost,       -kMost - 1, 1LL << 40,
                                 1LL << 31,    0xFFFFFFFE, of(~0ULL, 0)};
    return some[random.below(std::size(some))];
}

double strange_number(double old, Random& random) {
    const double some[] = {streams::kNan, INFINITY, -INFINITY, 0.0,    -1.0,    1.0, 1e308,
                           -1e308,        5e-324,   -old,      1e-300, old + 1, 0.5};
    return some[random.below(std::size(some))];
}

Archive without(const Archive& archive, const std::string& name) {
    Archive result;
    for (const auto& [key, array] : archive.arrays())
        if (key != name) std::visit([&](const auto& values) { result.put(key, values); }, array);
    return result;
}

// One change somewhere: a value, a size, an array that goes or has another type.
Archive mutated(const Archive& archive, Random& random) {
    auto at = archive.arrays().begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random.below(archive.arrays().size())));
    const std::string name = at->first;
    Archive result = archive;
    std::visit(
        [&](auto values) {
            using Value = typename decltype(values)::value_type;
            const std::size_t kind = random.below(20);
            if (kind == 0) {
                result = without(archive, name);
                return;
            }
            if (kind == 1) return result.put<std::uint8_t>(name, {1, 2, 3});
            if (kind == 2) return result.put<double>(name, {0.5});
            if (kind == 3) values.clear();
            if (kind == 4 && !values.empty()) values.pop_back();
            if (kind == 5) values.push_back(Value{1});
            if (kind == 6) values.resize(values.size() + random.below(50), Value{});
            if (kind == 7 && !values.empty())
                values.erase(values.begin() +
                             static_cast<std::ptrdiff_t>(random.below(values.size())));
            if (kind >= 8 && !values.empty()) {
                const std::size_t changes = 1 + (kind == 19 ? random.below(10) : 0);
                for (std::size_t i = 0; i < changes; ++i) {
                    Value& value = values[random.below(values.size())];
                    if constexpr (std::is_same_v<Value, double>)
                        value = strange_number(value, random);
                    else if constexpr (std::is_same_v<Value, std::int64_t>)
                        value = strange_integer(value, random);
                    else
                        value = static_cast<Value>(random.bits());
                }
            }
            result.put(name, std::move(values));
        },
        at->second);
    return result;
}

struct Outcome {
    std::size_t refused = 0, usable = 0;
};

// Loads the archive; where it is not refused the model must learn, predict, save and load again.
void try_out(const Case& c, const Stream& s, const Archive& archive, Outcome& outcome) {
    try {
        Model model(c.kind, c.options, archive);
        if (model.learner().n_features() != s.features) {
            ++outcome.usable;
            return;
        }
        model.predictions(s.view(0, 100));
        Stream rows = s;
        for (double& y : rows.y)
            if (Model::classifies(c.kind)) y = std::fmin(y, 1.0);
        try {
            model.learn(rows, 0, 600);
            model.learner().end_warm_up();
        } catch (const std::invalid_argument&) {
            // Classes out of order, for instance.
        }
        model.predictions(s.view(0, 100));
        model.learner().save();
        ++outcome.usable;
    } catch (const std::invalid_argument&) {
        ++outcome.refused;
    }
}

}  // namespace

TEST(a_damaged_archive_is_refused_or_gives_a_usable_model) {
    Random random(7);
    Outcome outcome;
    for (const Case& c : cases()) {
        const Stream s = c.stream();
        std::vector<Archive> archives;
        for (const std::size_t rows : {50U, 700U, 1500U}) {
            archives.push_back(c.saved(s, rows));
        }
        for (int round = 0; round < 200; ++round) {
            Archive archive = mutated(archives[random.below(archives.size())], random);
            if (random.chance(0.2)) archive = mutated(archive, random);
            try_out(c, s, archive, outcome);
        }
    }
    CHECK(outcome.refused > 200 && outcome.usable > 200);
}

TEST(values_and_statistics_of_another_number_of_outputs_are_refused) {
    const Case c = vector_cases()[0];
    const Stream s = c.stream();
    const Archive archive = c.saved(s, 1500);
    const std::vector<std::int64_t> layout = archive.get<std::int64_t>("tree0/layout");
    CHECK(layout.size() == 2 && layout[0] == 3 && layout[1] == 5);
    for (const std::int64_t outputs : {-1, 0, 1, 2, 4, 6, 10, 1 << 30}) {
        Archive damaged = archive;
        damaged.put<std::int64_t>("tree0/layout", {3, outputs});
        CHECK_THROWS(std::invalid_argument, Model(c.kind, c.options, damaged));
        damaged.put<std::int64_t>("classes", {outputs});
        CHECK_THROWS(std::invalid_argument, Model(c.kind, c.options, damaged));
    }
    for (const std::int64_t kept : {-1, 0, 1, 2, 4}) {
        Archive damaged = archive;
        damaged.put<std::int64_t>("tree0/layout", {kept, 5});
        CHECK_THROWS(std::invalid_argument, Model(c.kind, c.options, damaged));
    }
}

TEST(a_damaged_archive_with_late_features_is_refused_or_gives_a_usable_model) {
    Random random(8);
    Outcome outcome;
    Case c;
    c.shape = {
        .rows = 800, .nominal = {false, false, true}, .classes = 2, .missing = 0.3, .seed = 9};
    for (const bool quantiles : {false, true}) {
        c.options.quantile_bins = quantiles;
        const Stream early = streams::make({.rows = 600, .nominal = {false}, .classes = 2}),
                     late = c.stream();
        Model model(Kind::committee, c.options, std::vector<bool>{false});
        model.learn(early, 0, early.rows);
        model.learner().add_features({false, true}, nullptr);
        model.learn(late, 0, 100);
        const Archive archive = model.learner().save();
        for (int round = 0; round < 200; ++round)
            try_out(c, late, mutated(archive, random), outcome);
    }
    CHECK(outcome.refused > 50 && outcome.usable > 50);
}

TEST(every_missing_array_is_noticed) {
    for (const Case& c : cases()) {
        const Stream s = c.stream();
        for (const std::size_t rows : {50U, 700U}) {
            const Archive archive = c.saved(s, rows);
            for (const auto& [name, array] : archive.arrays())
                CHECK_THROWS(std::invalid_argument,
                             Model(c.kind, c.options, without(archive, name)));
        }
    }
}

TEST(statistics_that_do_not_fit_the_kind_of_model_are_refused) {
    // A committee of three classes whose trees have another layout.
    const Case c = cases()[1];
    const Stream s = c.stream();
    Archive archive = c.saved(s, 2000);
    for (const char* name : {"leaves/integers", "leaves/categories", "leaves/nodes"})
        archive.put<std::int64_t>(std::string("tree0/") + name, {});
    archive.put<double>("tree0/leaves/numbers", {});
    archive.put<std::uint8_t>("tree0/leaves/codes", {});
    std::vector<std::int64_t> saved = archive.get<std::int64_t>("tree0/layout");
    CHECK(Model(Kind::committee, c.options, archive).learner().n_trees() == 3);
    for (const std::int64_t layout : {0, 1}) {
        saved[0] = layout;
        archive.put("tree0/layout", saved);
        CHECK_THROWS(std::invalid_argument, Model(Kind::committee, c.options, archive));
    }
}

TEST(late_values_that_are_no_numbers_and_late_features_that_are_ready_are_refused) {
    const Stream early = streams::make({.rows = 600, .nominal = {false}, .classes = 2});
    const Stream late = streams::make({.rows = 200, .nominal = {false, false}, .classes = 2});
    Model model(Kind::committee, quick_options(), std::vector<bool>{false});
    model.learn(early, 0, early.rows);
    model.learner().add_features({false}, nullptr);
    model.learn(late, 0, 50);
    const Archive archive = model.learner().save();
    CHECK(archive.get<double>("late/values").size() == 50);
    for (const double bad : {streams::kNan, static_cast<double>(INFINITY)}) {
        Archive damaged = archive;
        std::vector<double> values = archive.get<double>("late/values");
        values[20] = bad;
        damaged.put("late/values", values);
        CHECK_THROWS(std::invalid_argument, Model(Kind::committee, quick_options(), damaged));
    }
    Archive damaged = archive;
    damaged.put<std::int64_t>("late/features", {0});
    CHECK_THROWS(std::invalid_argument, Model(Kind::committee, quick_options(), damaged));
}

TEST(a_round_under_way_is_refused_during_the_warm_up) {
    Case c = cases()[0];
    c.options.round_rows = 1000;
    const Stream s = c.stream();
    const Archive later = c.saved(s, 500);
    Archive damaged = c.saved(s, 50);
    CHECK(Model(c.kind, c.options, damaged).learner().is_warming_up());
    for (const auto& [name, array] : later.arrays())
        if (name.starts_with("round/"))
            std::visit([&, &key = name](const auto& values) { damaged.put(key, values); }, array);
    CHECK_THROWS(std::invalid_argument, Model(c.kind, c.options, damaged));
}

TEST(infinities_in_the_rows_of_the_warm_up_are_refused) {
    Model model(Kind::committee, quick_options(), std::vector<bool>{false, false, false});
    const Stream s = streams::make({.rows = 50, .classes = 2});
    model.learn(s, 0, 50);
    Archive archive = model.learner().save();
    std::vector<double> x = archive.get<double>("warm_up/x");
    x[7] = streams::kNan;  // missing
    archive.put("warm_up/x", x);
    CHECK(Model(Kind::committee, quick_options(), archive).learner().n_rows() == 50);
    x[7] = INFINITY;
    archive.put("warm_up/x", x);
    CHECK_THROWS(std::invalid_argument, Model(Kind::committee, quick_options(), archive));
}

TEST(a_model_saved_to_predict_only_predicts_the_same_and_refuses_to_learn) {
    for (const Case& c : cases()) {
        const Stream s = c.stream();
        for (const std::size_t rows : {50U, 1500U}) {
            Model model = c.learned(s, rows);
            const Archive small = model.learner().save(true);
            Model loaded(c.kind, c.options, small);
            CHECK(loaded.learner().is_inference_only() && !model.learner().is_inference_only());
            CHECK(streams::same_bits(loaded.predictions(s.view()), model.predictions(s.view())));
            CHECK_THROWS(std::invalid_argument, loaded.learn(s, 0, 10));
            CHECK_THROWS(std::invalid_argument, loaded.learner().end_warm_up());
            CHECK_THROWS(std::invalid_argument, loaded.learner().add_features({true}, nullptr));
            CHECK(difference(small, loaded.learner().save()) == "");
            CHECK(loaded.learner().n_nodes() == model.learner().n_nodes());
            CHECK(small.get<double>("warm_up/x").empty());
            for (std::size_t t = 0; t < loaded.learner().n_trees(); ++t)
                learners::read_tree(
                    loaded.learner(), t, [&](const Tree& tree, const FeatureSpace&) {
                        learners::read_tree(model.learner(), t,
                                            [&](const Tree& whole, const FeatureSpace&) {
                                                for (NodeIndex i = 0; i < tree.nodes().size(); ++i)
                                                    CHECK(tree.cover(i) == whole.cover(i) &&
                                                          tree.statistics(i) == nullptr);
                                            });
                    });
        }
    }
}

TEST(categories_that_the_caller_does_not_know_are_refused) {
    const Case c = cases()[2];  // two nominal features with many categories
    const Stream s = c.stream();
    const auto largest = [&](std::size_t rows, std::size_t feature) {
        double most = 0.0;
        for (std::size_t r = 0; r < rows; ++r) most = std::fmax(most, s.x[2 * r + feature]);
        return static_cast<std::int64_t>(most);
    };
    for (const std::size_t rows : {50U, 1500U}) {  // in the warm-up, and after it
        Archive archive = c.saved(s, rows);
        const std::int64_t a = largest(rows, 0), b = largest(rows, 1);
        archive.put<std::int64_t>("features/categories", {a + 1, b + 1});
        CHECK(Model(c.kind, c.options, archive).learner().n_rows() == rows);
        for (const auto& categories : {std::vector<std::int64_t>{a, b + 1},
                                       {a + 1, b},
                                       {-1, b},
                                       {a + 1},
                                       {a + 1, b + 1, 1}}) {
            archive.put("features/categories", categories);
            CHECK_THROWS(std::invalid_argument, Model(c.kind, c.options, archive));
        }
    }
}

TEST(a_buffer_with_more_room_than_leaves_make_is_refused) {
    const Case c = cases()[0];
    const Stream s = c.stream();
    const Archive archive = c.saved(s, 140);
    const std::vector<std::int64_t> integers = archive.get<std::int64_t>("tree0/leaves/integers");
    for (const std::int64_t room : {258, 65'536}) {
        Archive damaged = archive;
        std::vector<std::int64_t> changed = integers;
        changed[4] = room;
        damaged.put("tree0/leaves/integers", changed);
        CHECK_THROWS(std::invalid_argument, Model(c.kind, c.options, damaged));
    }
}

TEST(branches_of_a_nominal_split_may_be_saved_in_any_order) {
    // Children of one split, in the order of their creation, which is not that of their codes.
    const Case c = cases()[2];
    const Stream s = c.stream();
    Model model = c.learned(s, s.rows);
    const Archive archive = model.learner().save();
    const auto& parent = archive.get<std::int64_t>("tree0/nodes/parent");
    const auto& branch = archive.get<std::int64_t>("tree0/nodes/branch");
    bool some_out_of_order = false;
    for (std::size_t i = 1; i + 1 < parent.size(); ++i)
        for (std::size_t j = i + 1; j < parent.size(); ++j)
            some_out_of_order |= parent[i] == parent[j] && branch[i] > branch[j];
    CHECK(some_out_of_order);
    Model loaded(c.kind, c.options, archive);
    CHECK(streams::same_bits(loaded.predictions(s.view()), model.predictions(s.view())));
}

TEST(a_buffer_has_room_for_one_row_more_than_trees_let_wait) {
    const streams::Shape shape{.rows = 400, .nominal = {false, false}, .classes = 2};
    Options options = learners::options_of({50, 100'000, 1e-2, 0.05});
    options.kept_rows = 0;
    learners::Committee model(options, shape.nominal, nullptr);
    learners::learn(model, streams::make(shape), 0, 300);
    Archive archive = model.save();
    const auto with_room = [&](std::int64_t room) {
        auto integers = archive.get<std::int64_t>("tree0/leaves/integers");
        integers.at(4) = room;
        archive.put("tree0/leaves/integers", integers);
        learners::Committee loaded(options, archive);
    };
    with_room(256);
    with_room(257);
    CHECK_THROWS(std::invalid_argument, with_room(258));
}

TEST(codes_are_known_up_to_the_last_bin_and_category) {
    FeatureSpace features({false, true, false});
    features.set_boundaries(0, uniform_boundaries(0.0, 1.0, 4));
    const std::size_t bins = features.boundaries(0).size() + 1;
    const std::vector<std::int64_t> counts{0, 7, 0};
    const KnownCodes known(features, counts), any(features, CategoryCounts());
    CHECK(known.has(0, bins) && !known.has(0, bins + 1));  // code 0 is a missing value
    CHECK(known.has(1, 7) && !known.has(1, 8));
    CHECK(known.has(2, 0) && !known.has(2, 1));  // no boundaries yet
    CHECK(known.has_category(1, 7) && !known.has_category(1, 8));
    CHECK(any.has(1, 254) && !any.has(1, 255));  // of one byte, the last being that of unseen ones
    CHECK(any.has_category(1, 4'000'000'000));
    CHECK_THROWS(std::invalid_argument, KnownCodes(features, std::vector<std::int64_t>{0, 7}));
    CHECK_THROWS(std::invalid_argument, KnownCodes(features, std::vector<std::int64_t>{0, -1, 0}));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
