#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "sgt/data/standardiser.hpp"
#include "sgt/leaf/linear_leaves.hpp"

using namespace sgt;

namespace {

// Inputs that no two of which are alike.
std::vector<double> inputs_of(std::size_t row) {
    const auto t = static_cast<double>(row);
    return {1.0, std::sin(0.7 * t), std::cos(1.3 * t + 0.2)};
}

// Rows of a plane, learned under squared error. Returns the value.
double learn_plane(LinearLeaves& leaves, std::size_t rows, double unit = 1.0) {
    double value = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
        const std::vector<double> z = inputs_of(r);
        const double y = unit * (4.0 + 2.0 * z[1] - 3.0 * z[2]);
        const double record[] = {1.0, 1.0, value + leaves.score(0, 0, z.data(), 0.0) - y, 1.0};
        leaves.learn(0, z.data(), record, &value);
    }
    return value;
}

}  // namespace

TEST(a_plane_is_found) {
    LinearLeaves leaves(1, 3, 0.0);
    const double value = learn_plane(leaves, 2000);
    CHECK_CLOSE(value, 4.0, 1e-2);
    CHECK_CLOSE(leaves.weights(0)[0], 2.0, 1e-2);
    CHECK_CLOSE(leaves.weights(0)[1], -3.0, 1e-2);
}

TEST(the_targets_unit_is_of_no_account) {
    LinearLeaves one(1, 3, 0.0), other(1, 3, 0.0);
    CHECK_CLOSE(1024.0 * learn_plane(one, 50), learn_plane(other, 50, 1024.0), 1e-9);
}

TEST(a_row_moves_its_own_score_by_its_newton_step_at_most) {
    LinearLeaves leaves(1, 3, 0.1);
    for (std::size_t r = 0; r < 30; ++r) {
        const std::vector<double> z = inputs_of(r);
        const double g = r % 3 == 0 ? -5.0 : 1.0, h = r % 2 == 0 ? 1e-9 : 0.2;
        const double record[] = {2.0, 1.0, g, h};
        double value = 0.0;
        const double before = leaves.score(0, 0, z.data(), 0.0);
        leaves.learn(0, z.data(), record, &value);
        const double moved = value + leaves.score(0, 0, z.data(), 0.0) - before;
        CHECK(std::abs(moved) <= std::abs(g) / (h + 0.1) * (1.0 + 1e-12));
        CHECK(moved * g <= 0.0);
    }
}

TEST(rows_before_the_first_hessian_move_nothing) {
    LinearLeaves leaves(1, 3, 0.0);
    const std::vector<double> z = inputs_of(1);
    const double record[] = {1.0, 1.0, 3.0, 0.0};
    double value = 7.0;
    leaves.learn(0, z.data(), record, &value);
    CHECK(value == 7.0);
    CHECK(leaves.score(0, 0, z.data(), 0.0) == 0.0);
}

TEST(children_begin_like_their_parent_and_move_faster) {
    LinearLeaves leaves(1, 3, 0.0);
    double value = learn_plane(leaves, 2000);
    leaves.add_children(0, 2);
    const std::vector<double> z = inputs_of(5);
    const double before = leaves.score(0, 0, z.data(), 0.0);
    CHECK(leaves.score(1, 0, z.data(), 0.0) == before);
    CHECK(leaves.score(2, 0, z.data(), 0.0) == before);
    const double record[] = {1.0, 1.0, 1.0, 1.0};
    double of_child = value;
    leaves.learn(2, z.data(), record, &of_child);
    leaves.learn(0, z.data(), record, &value);
    CHECK(before - leaves.score(2, 0, z.data(), 0.0) >
          5.0 * (before - leaves.score(0, 0, z.data(), 0.0)));
    CHECK(leaves.score(1, 0, z.data(), 0.0) == before);
}

TEST(what_is_saved_goes_on_the_same) {
    LinearLeaves leaves(1, 3, 0.0);
    double value = learn_plane(leaves, 40);
    leaves.add_children(0, 2);
    Archive archive;
    leaves.save(archive, "tree0/", false);
    LinearLeaves loaded = LinearLeaves::load(archive, "tree0/", 3, 1, 3, 0.0, false);
    double other = value;
    for (std::size_t r = 0; r < 9; ++r) {
        const std::vector<double> z = inputs_of(r);
        const double record[] = {1.0, 1.0, 0.3, 1.0};
        leaves.learn(r % 3, z.data(), record, &value);
        loaded.learn(r % 3, z.data(), record, &other);
    }
    CHECK(value == other);
    for (std::size_t node = 0; node < 3; ++node)
        CHECK(leaves.weights(node)[1] == loaded.weights(node)[1]);
}

TEST(damaged_arrays_are_refused) {
    LinearLeaves leaves(1, 3, 0.0);
    Archive archive;
    leaves.save(archive, "", false);
    CHECK_THROWS(std::invalid_argument, LinearLeaves::load(archive, "", 2, 1, 3, 0.0, false));
    CHECK_THROWS(std::invalid_argument, LinearLeaves::load(archive, "", 1, 1, 4, 0.0, false));
    archive.put<double>("linear/weights", {std::nan(""), 0.0});
    CHECK_THROWS(std::invalid_argument, LinearLeaves::load(archive, "", 1, 1, 3, 0.0, false));
}

TEST(leaves_that_only_predict_need_no_memory_for_learning) {
    constexpr std::size_t kInputs = 300'001;
    Archive archive;
    archive.put("linear/weights", std::vector<double>(kInputs - 1, 0.5));
    archive.put<double>("linear/curvatures", {});
    archive.put<double>("linear/rows", {});
    const LinearLeaves leaves = LinearLeaves::load(archive, "", 1, 1, kInputs, 0.0, true);
    CHECK(leaves.weights(0)[kInputs - 2] == 0.5);
}

TEST(features_are_standardised_and_held) {
    Standardiser standards;
    standards.take_sample(0, {1e9 + 1.0, 1e9 + 3.0});
    standards.take_sample(1, {5.0, 5.0, 5.0});
    standards.take_sample(2, {});
    standards.take_range(3, 0.0, std::sqrt(12.0));
    CHECK(standards.features() == std::vector<std::int64_t>({0, 3}));
    const double x[] = {1e9 + 2.5, 0.0, 0.0, std::nan(""), 1e12, 0.0, 0.0, -1e12};
    const RowsView rows{x, false, 2, 4};
    std::vector<double> inputs(3);
    standards.write(rows, 0, inputs.data());
    CHECK(inputs == std::vector<double>({1.0, 0.5, 0.0}));
    standards.write(rows, 1, inputs.data());
    CHECK(inputs == std::vector<double>({1.0, 3.0, -3.0}));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
