#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "leaves.hpp"
#include "sgt/leaf/leaf_statistics.hpp"
#include "sgt/loss/loss.hpp"

using namespace sgt;
using leaves::Row;
using streams::Random;

namespace {

constexpr Layout kLayouts[] = {Layout::class_counts,   Layout::constant_hessian,
                               Layout::moments,        {CellKind::constant_hessian, 3},
                               {CellKind::moments, 2}, {CellKind::softmax_counts, 4}};

CellReader reader_of(const LeafStatistics& leaf) {
    const Layout layout = leaf.layout();
    if (layout == Layout::class_counts) return BinaryLogLoss::reader(0.0);
    if (layout.kind == CellKind::softmax_counts)
        return leaves::softmax_reader(std::vector<double>(layout.outputs, 0.0));
    return CellReader::shifted(layout, leaf.references());
}

// g of one output; classes are seen from the value 0.
double gradient(const Row& row, Layout layout, std::size_t output) {
    if (layout == Layout::class_counts) return row.evidence.g == 1.0 ? -0.5 : 0.5;
    if (layout.kind != CellKind::softmax_counts) return row.record()[place_of_g(output)];
    const bool is_own = row.evidence.g == static_cast<double>(output);
    return 1.0 / static_cast<double>(layout.outputs) - (is_own ? 1.0 : 0.0);
}

bool same_numbers(const double* a, const double* b, std::size_t n) {
    return n == 0 || std::memcmp(a, b, n * sizeof(double)) == 0;
}

// Both leaves hold the same sums, bit for bit.
bool same(const LeafStatistics& a, const LeafStatistics& b, const FeatureSpace& features) {
    if (a.rows() != b.rows() || a.weight() != b.weight() || a.has_cells() != b.has_cells() ||
        a.layout() != b.layout() || a.references().size() != b.references().size())
        return false;
    for (std::size_t j = 0; j < a.references().size(); ++j)
        if (a.references()[j].g != b.references()[j].g ||
            a.references()[j].h != b.references()[j].h)
            return false;
    if (!same_numbers(a.total().data(), b.total().data(), a.total().size())) return false;
    if (!a.has_cells()) return true;
    if (!same_numbers(a.numeric_cell(0), b.numeric_cell(0),
                      features.n_numeric_cells() * cell_width(a.layout())))
        return false;
    for (std::size_t i = 0; i < features.nominal().size(); ++i) {
        const auto c = a.nominal(i).by_code(a.layout()), d = b.nominal(i).by_code(a.layout());
        if (c.size() != d.size()) return false;
        for (std::size_t k = 0; k < c.size(); ++k)
            if (c[k].first != d[k].first ||
                !same_numbers(c[k].second, d[k].second, cell_width(a.layout())))
                return false;
    }
    return true;
}

std::vector<Row> some_rows(std::size_t n, const FeatureSpace& features, Layout layout,
                           std::uint64_t seed, std::size_t categories = 9) {
    Random random(seed);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < n; ++i)
        rows.push_back(leaves::random_row(features, layout, 0.1, true, categories, random));
    return rows;
}

// Appends rows to a leaf, and to those that it has.
void append_more(LeafStatistics& leaf, std::vector<Row>& rows, const std::vector<Row>& more,
                 const FeatureSpace& features) {
    for (const Row& row : more) {
        rows.push_back(row);
        leaves::append(leaf, row, features.width(), 1000);
    }
}

}  // namespace

TEST(the_cells_hold_the_sums_of_their_rows) {
    for (const Layout layout : kLayouts) {
        const FeatureSpace features = leaves::space({5, 0, 3});
        const std::vector<Row> rows = some_rows(200, features, layout, 3);
        const LeafStatistics leaf = leaves::filled(rows, features, layout);
        const CellReader reader = reader_of(leaf);
        double weight = 0.0, squares = 0.0;
        for (const Row& row : rows) {
            weight += row.evidence.w;
            squares += row.evidence.w * row.evidence.w;
        }
        CHECK(leaf.rows() == 200);
        CHECK_CLOSE(leaf.weight(), weight, 1e-13);
        CHECK_CLOSE(leaf.effective_rows(), weight * weight / squares, 1e-13);
        const auto check_cell = [&](const double* cell, std::size_t f, std::uint32_t code) {
            double w = 0.0;
            for (const Row& row : rows) w += row.codes[f] == code ? row.evidence.w : 0.0;
            CHECK_CLOSE(cell_weight(layout, cell), w, 1e-13);
            for (std::size_t output = 0; output < layout.outputs; ++output) {
                double g = 0.0;
                for (const Row& row : rows)
                    if (row.codes[f] == code) g += row.evidence.w * gradient(row, layout, output);
                const Sums sums = reader.sums(cell, w, output);
                CHECK_CLOSE(sums.w, w, 1e-13);
                CHECK_CLOSE(sums.g, g, 1e-12);
            }
            return w;
        };
        for (std::size_t i = 0; i < 2; ++i) {
            const std::uint32_t f = features.numeric()[i];
            for (std::uint32_t code = 0; code <= features.boundaries(f).size() + 1; ++code)
                check_cell(leaf.numeric_cell(features.numeric_offsets()[i] + code), f, code);
        }
        for (const auto& [code, cell] : leaf.nominal(0).by_code(layout))
            CHECK(check_cell(cell, 1, code) > 0.0);
    }
}

TEST(when_the_buffer_is_emptied_changes_nothing_to_the_last_bit) {
    Random random(4);
    for (const Layout layout : kLayouts)
        for (const std::vector<std::size_t>& bins :
             {std::vector<std::size_t>{5, 0, 3, 0, 300}, {4, 64, 7}, {0, 0}}) {
            const FeatureSpace features = leaves::space(bins);
            for (int round = 0; round < 20; ++round) {
                // Few categories, just more than are indexed by code, and many.
                const std::size_t categories = round % 4 == 0 ? 5 : round % 4 == 1 ? 17 : 120;
                const std::vector<Row> rows = some_rows(300, features, layout, 5, categories);
                const LeafStatistics at_once = leaves::filled(rows, features, layout);
                LeafStatistics leaf(layout, true, 1000);
                FlushScratch scratch;
                const std::size_t buffer = 1 + random.below(100);
                const double chance = random.uniform() * 0.3;
                for (const Row& row : rows) {
                    const bool is_full =
                        leaves::append(leaf, row, features.width(), buffer).buffer_is_full();
                    if (is_full || random.chance(chance)) leaf.flush(features, scratch);
                    if (is_full) CHECK(!leaf.has_waiting_rows());
                }
                leaf.flush(features, scratch);
                CHECK(same(leaf, at_once, features));
            }
        }
}

TEST(features_may_be_added_to_the_cells_in_any_order_and_in_parts) {
    for (const Layout layout : kLayouts) {
        const FeatureSpace features = leaves::space({5, 0, 3, 0, 6});
        const std::vector<Row> rows = some_rows(100, features, layout, 6);
        const LeafStatistics expected = leaves::filled(rows, features, layout);
        LeafStatistics leaf(layout, true, 1000);
        FlushScratch scratch;
        for (const Row& row : rows) leaves::append(leaf, row, features.width(), 1000);
        leaf.sum_up(scratch);
        leaf.prepare_cells(features, scratch);
        FlushScratch::Part first, second;
        leaf.add_to_cells(features, {2, 3, 1, 2}, scratch, second);
        leaf.add_to_cells(features, {1, 2, 0, 0}, scratch, first);
        leaf.add_to_cells(features, {0, 1, 0, 1}, scratch, first);
        leaf.finish_flush();
        CHECK(same(leaf, expected, features));
    }
}

// What a search over the boundaries of a numeric feature reads of its cells.
bool searches_see_the_same(const LeafStatistics& leaf, const LeafStatistics& expected,
                           const FeatureSpace& features, std::size_t position) {
    if (leaf.has_rows_to_search()) return true;  // which it counts itself: test_change_search.cpp
    const Layout layout = leaf.layout();
    const std::uint32_t feature = features.numeric()[position];
    const auto [first, last] = leaf.codes_to_search(feature, features.n_candidates(feature) + 2);
    const std::size_t offset = features.numeric_offsets()[position];
    for (std::size_t cell = offset + first; cell <= offset + last; ++cell) {
        const auto [found, width, of_output] = leaf.cells_to_search(cell);
        const auto [own, own_width, of_own_output] = expected.cells_to_search(cell);
        if (layout.kind != CellKind::moments) {
            if (!std::equal(found, found + width, own)) return false;
            continue;
        }
        if (found[0] != own[0]) return false;
        for (std::size_t j = 0; j < layout.outputs; ++j)
            for (std::size_t i = 1; i <= 2; ++i)
                if (found[of_output * j + i] != own[of_own_output * j + i]) return false;
    }
    return true;
}

// Whether all rows have the same code of a feature.
bool have_one_code(const std::vector<Row>& rows, std::uint32_t feature) {
    return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
        return row.codes[feature] == rows.front().codes[feature];
    });
}

// Two leaves that borrow the same cells in turns, each looked at now and then.
TEST(a_look_with_borrowed_cells_sees_all_rows_and_lets_them_wait) {
    constexpr std::size_t kBuffer = 64;
    for (const Layout layout : kLayouts) {
        const FeatureSpace features = leaves::space({40, 0, 33, 64});
        FlushScratch scratch;
        std::vector<LeafStatistics> both;
        std::vector<std::vector<Row>> rows(2);
        for (std::uint64_t i = 0; i < 2; ++i) both.emplace_back(layout, true, 1000, 30);
        std::size_t n_borrowed = 0, n_own = 0, n_left_out = 0;
        for (std::size_t r = 0; r < 120; ++r)
            for (std::uint64_t i = 0; i < 2; ++i) {
                LeafStatistics& leaf = both[i];
                append_more(leaf, rows[i], some_rows(1, features, layout, 1000 * i + r, 40),
                            features);
                if ((r + i) % 7 != 0) continue;
                LeafStatistics::Look look(leaf, features, scratch, kBuffer);
                ++(look.borrows() ? n_borrowed : n_own);
                const std::size_t bytes = leaf.bytes();
                leaf.sum_up(scratch);
                leaf.flush_summed(features, scratch);
                const LeafStatistics expected = leaves::filled(rows[i], features, layout);
                bool has_all_cells = true;
                for (std::uint32_t f = 0; f < features.size(); ++f) {
                    const bool is_left_out = look.borrows() && have_one_code(rows[i], f);
                    CHECK(leaf.gathers_cells_of(f) == !is_left_out);
                    has_all_cells &= !is_left_out;
                    n_left_out += is_left_out ? 1 : 0;
                }
                for (std::size_t f = 0; f < features.numeric().size(); ++f) {
                    if (!leaf.gathers_cells_of(features.numeric()[f])) continue;
                    CHECK(searches_see_the_same(leaf, expected, features, f));
                    look.complete_numeric(f, features);
                }
                for (std::size_t f = 0; f < features.nominal().size(); ++f)
                    if (leaf.gathers_cells_of(features.nominal()[f]))
                        look.complete_nominal(f, features);
                if (has_all_cells) CHECK(same(leaf, expected, features));
                CHECK(leaf.n_kept() == std::min<std::size_t>(30, rows[i].size()));
                if (!look.borrows()) continue;
                look.undo();
                CHECK(leaf.has_waiting_rows() && leaf.n_kept() == 0);
                CHECK(leaf.bytes() >= bytes);
            }
        CHECK(n_borrowed > n_left_out && n_left_out > 0 && n_own > 0);
        for (std::uint64_t i = 0; i < 2; ++i) {
            both[i].flush(features, scratch);
            CHECK(same(both[i], leaves::filled(rows[i], features, layout), features));
        }
    }
}

TEST(a_leaf_gives_borrowed_cells_back_and_stays_small) {
    const FeatureSpace features = leaves::space({64, 64});
    FlushScratch scratch;
    LeafStatistics leaf(Layout::moments, true, 1000);
    std::vector<Row> rows;
    append_more(leaf, rows, some_rows(10, features, Layout::moments, 3), features);
    const std::size_t before = leaf.bytes();
    {
        LeafStatistics::Look look(leaf, features, scratch, 256);
        CHECK(look.borrows());
        leaf.sum_up(scratch);
        leaf.flush_summed(features, scratch);
        CHECK(leaf.has_cells());
        look.undo();
    }
    CHECK(!leaf.has_cells() && leaf.bytes() == before);
    // A change instead: the leaf forgets its rows.
    {
        LeafStatistics::Look look(leaf, features, scratch, 256);
        leaf.sum_up(scratch);
        leaf.flush_summed(features, scratch);
    }
    leaf.clear();
    CHECK(leaf.rows() == 0 && !leaf.has_cells() && leaf.bytes() == before);
    // No more rows wait than the buffer may hold, and no more bytes than a part of the cells'.
    append_more(leaf, rows, some_rows(10, features, Layout::moments, 4), features);
    CHECK(!LeafStatistics::Look(leaf, features, scratch, 10).borrows());
    append_more(leaf, rows, some_rows(200, features, Layout::moments, 5), features);
    CHECK(!LeafStatistics::Look(leaf, features, scratch, 256).borrows());
}

TEST(leaves_that_share_a_scratch_do_not_disturb_each_other) {
    const FeatureSpace features = leaves::space({0, 0});
    FlushScratch scratch;
    std::vector<LeafStatistics> shared, alone;
    std::vector<std::vector<Row>> rows;
    for (std::uint64_t i = 0; i < 4; ++i) {
        shared.emplace_back(Layout::moments, true, 1000);
        rows.push_back(some_rows(120, features, Layout::moments, 10 + i, 40));
        alone.push_back(leaves::filled(rows.back(), features, Layout::moments));
    }
    for (std::size_t r = 0; r < 120; ++r)
        for (std::size_t i = 0; i < 4; ++i) {
            leaves::append(shared[i], rows[i][r], features.width(), 1000);
            if (r % (3 + i) == 0) shared[i].flush(features, scratch);
        }
    for (std::size_t i = 0; i < 4; ++i) {
        shared[i].flush(features, scratch);
        CHECK(same(shared[i], alone[i], features));
    }
}

TEST(an_attempt_is_due_at_every_grace_period_since_the_last_change) {
    const FeatureSpace features = leaves::space({4});
    const std::vector<Row> rows = some_rows(100, features, Layout::moments, 7);
    LeafStatistics leaf(Layout::moments, true, 7);
    FlushScratch scratch;
    std::size_t since = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto appended = leaves::append(leaf, rows[r], features.width(), 7);
        ++since;
        CHECK(appended.attempt_is_due() == (since % 7 == 0));
        if (appended.buffer_is_full()) leaf.flush(features, scratch);
        if (r == 9 || r == 40) {
            leaf.clear();
            since = 0;
        }
    }
}

TEST(a_leaf_keeps_its_latest_rows_in_their_order_and_little_room_besides) {
    for (const Layout layout : kLayouts)
        for (const std::size_t most : {1UL, 3UL, 20UL, 300UL}) {
            constexpr std::size_t kBuffer = 7;
            const FeatureSpace features = leaves::space({4, 0, 9});
            const std::size_t row_bytes = features.size() * bytes_of(features.width());
            const std::vector<Row> rows = some_rows(1000, features, layout, most);
            LeafStatistics leaf(layout, true, kBuffer, most);
            FlushScratch scratch;
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const auto appended = leaves::append(leaf, rows[r], features.width(), kBuffer);
                if (!appended.buffer_is_full() && r % 5 != 0) continue;  // also half full
                leaf.flush(features, scratch);
                CHECK(leaf.n_kept() == std::min(most, r + 1));
                for (std::size_t k = 0; k < leaf.n_kept(); ++k) {
                    const Row& row = rows[r + 1 - leaf.n_kept() + k];
                    const std::vector<std::byte> codes =
                        leaves::packed(row.codes, features.width());
                    CHECK(std::memcmp(leaf.kept_codes(k), codes.data(), row_bytes) == 0);
                    std::vector<double> record(record_width(layout));
                    leaf.write_record(k, record.data());
                    const std::vector<double> given = row.record(layout);
                    CHECK(record[0] == given[0] && record[1] == given[1]);
                    if (!layout.counts_classes()) CHECK(record[2] == given[2]);
                }
            }
            LeafStatistics without(layout, true, kBuffer);
            for (const Row& row : rows)
                if (leaves::append(without, row, features.width(), kBuffer).buffer_is_full())
                    without.flush(features, scratch);
            without.flush(features, scratch);
            leaf.flush(features, scratch);
            CHECK(same(leaf, without, features));
            const std::size_t of_row = row_bytes + sizeof(double) * kept_width(layout);
            const std::size_t room = most + std::max(kBuffer, most / 2);
            CHECK(leaf.bytes() <= without.bytes() + room * of_row);
        }
}

TEST(a_cleared_leaf_is_like_a_new_one) {
    for (const Layout layout : kLayouts) {
        const FeatureSpace features = leaves::space({5, 0, 3});
        const std::vector<Row> rows = some_rows(60, features, layout, 8);
        LeafStatistics leaf = leaves::filled(some_rows(90, features, layout, 9), features, layout);
        leaves::append(leaf, rows[0], features.width(), 100);  // a row that waits is forgotten too
        leaf.clear();
        CHECK(leaf.rows() == 0 && leaf.weight() == 0.0 && !leaf.has_waiting_rows());
        CHECK(!leaf.has_cells() && leaf.keeps_cells());
        FlushScratch scratch;
        for (const Row& row : rows) leaves::append(leaf, row, features.width(), 100);
        leaf.flush(features, scratch);
        CHECK(same(leaf, leaves::filled(rows, features, layout), features));
    }
}

TEST(a_leaf_that_drops_its_cells_keeps_its_total) {
    for (const Layout layout : kLayouts) {
        const FeatureSpace features = leaves::space({5, 0});
        const std::vector<Row> rows = some_rows(120, features, layout, 10);
        const LeafStatistics whole = leaves::filled(rows, features, layout);
        LeafStatistics leaf(layout, true, 1000);
        FlushScratch scratch;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (r == 30) leaf.flush(features, scratch);
            if (r == 50) {
                const std::size_t before = leaf.bytes();
                leaf.drop_cells();
                CHECK(leaf.bytes() < before);
                CHECK(leaf.bytes() == LeafStatistics::bytes_without_cells(layout));
            }
            leaves::append(leaf, rows[r], features.width(), 1000);
        }
        leaf.flush(features, scratch);
        CHECK(!leaf.has_cells() && !leaf.keeps_cells() && !leaf.has_waiting_rows());
        CHECK(leaf.rows() == 120 && leaf.weight() == whole.weight());
        CHECK(same_numbers(leaf.total().data(), whole.total().data(), leaf.total().size()));
    }
}

TEST(waiting_rows_survive_wider_codes_and_more_features) {
    for (const Layout layout : kLayouts) {
        const FeatureSpace narrow = leaves::space({5, 0});
        FeatureSpace wide = leaves::space({5, 0});
        wide.append({false});
        wide.append({true});
        wide.set_boundaries(2, uniform_boundaries(0, 1, 300));
        CHECK(narrow.width() == CodeWidth::one && wide.width() == CodeWidth::two);
        std::vector<Row> rows = some_rows(60, narrow, layout, 11);
        LeafStatistics leaf(layout, true, 1000);
        FlushScratch scratch;
        for (const Row& row : rows) leaves::append(leaf, row, narrow.width(), 1000);
        leaf.reshape_rows(2, narrow.width(), 4, wide.width());
        CHECK(leaf.has_waiting_rows());
        for (Row& row : rows) row.codes.insert(row.codes.end(), {0, 0});
        append_more(leaf, rows, some_rows(60, wide, layout, 12), wide);
        leaf.flush(wide, scratch);
        CHECK(same(leaf, leaves::filled(rows, wide, layout), wide));
    }
}

TEST(codes_widen_to_four_bytes_as_well) {
    FeatureSpace features = leaves::space({0, 4});
    std::vector<Row> rows = some_rows(20, features, Layout::class_counts, 13);
    LeafStatistics leaf(Layout::class_counts, true, 1000);
    FlushScratch scratch;
    for (const Row& row : rows) leaves::append(leaf, row, CodeWidth::one, 1000);
    features.admit_category(70'000);
    leaf.reshape_rows(2, CodeWidth::one, 2, CodeWidth::four);
    rows.push_back({{70'001, 2}, {1.0, 1.0, 0.0}});
    leaves::append(leaf, rows.back(), CodeWidth::four, 1000);
    leaf.flush(features, scratch);
    CHECK(same(leaf, leaves::filled(rows, features, Layout::class_counts), features));
    CHECK(leaf.nominal(0).by_code(Layout::class_counts).back().first == 70'001);
}

TEST(all_earlier_rows_are_missing_in_a_late_feature) {
    for (const Layout layout : kLayouts)
        for (const bool had_cells : {false, true}) {
            FeatureSpace features = leaves::space({5, 0});
            std::vector<Row> rows = some_rows(50, features, layout, 14);
            LeafStatistics leaf(layout, true, 1000);
            FlushScratch scratch;
            for (std::size_t r = 0; r < rows.size(); ++r) {
                leaves::append(leaf, rows[r], features.width(), 1000);
                if (had_cells && r == 20) leaf.flush(features, scratch);
            }
            leaf.flush(features, scratch);
            features.append({false});
            features.append({true});
            features.append({false});
            leaf.reshape_rows(2, features.width(), 5, features.width());
            leaf.lay_out_late_features(features);
            for (Row& row : rows) row.codes.resize(5, 0);
            append_more(leaf, rows, some_rows(30, features, layout, 15), features);
            // The numeric ones get their boundaries later, the second first.
            leaf.flush(features, scratch);
            features.set_boundaries(4, uniform_boundaries(0, 1, 6));
            leaf.lay_out_late_features(features);
            features.set_boundaries(2, uniform_boundaries(0, 1, 3));
            leaf.lay_out_late_features(features);
            append_more(leaf, rows, some_rows(40, features, layout, 16), features);
            leaf.flush(features, scratch);
            CHECK(same(leaf, leaves::filled(rows, features, layout), features));
        }
}

TEST(a_late_feature_adds_nothing_to_a_leaf_without_rows) {
    FeatureSpace features = leaves::space({5});
    FlushScratch scratch;
    LeafStatistics leaf(Layout::moments, true, 100);
    leaf.flush(features, scratch);
    CHECK(leaf.has_cells());
    features.append({true});
    leaf.lay_out_late_features(features);
    CHECK(leaf.nominal(0).by_code(Layout::moments).empty());
}

TEST(class_counts_become_the_moments_of_the_same_rows) {
    const FeatureSpace features = leaves::space({5, 0, 3});
    const double raw = 0.8;
    const double p = BinaryLogLoss::probability(raw), q = BinaryLogLoss::probability(-raw);
    std::vector<Row> rows = some_rows(150, features, Layout::class_counts, 18);
    LeafStatistics leaf = leaves::filled(rows, features, Layout::class_counts);
    leaf.become_moments(BinaryLogLoss::reader(raw));
    CHECK(leaf.layout() == Layout::moments);
    // Later rows are moments themselves.
    FlushScratch scratch;
    for (Row& row : rows) row.evidence = {row.evidence.w, row.evidence.g == 1.0 ? -q : p, p * q};
    append_more(leaf, rows, some_rows(50, features, Layout::moments, 19), features);
    leaf.flush(features, scratch);
    // Read through loss changes, since the references differ.
    const LeafStatistics expected = leaves::filled(rows, features, Layout::moments);
    const CellReader a = CellReader::shifted(Layout::moments, leaf.references());
    const CellReader b = CellReader::shifted(Layout::moments, expected.references());
    const auto agree = [&](const double* x, const double* y) {
        for (const double v : {-1.5, 0.4, 2.0}) {
            const LossChange c = a.change(x, v), d = b.change(y, v);
            CHECK_CLOSE(c.w, d.w, 1e-12);
            CHECK_CLOSE(c.mean, d.mean, 1e-12);
            CHECK_CLOSE(c.m2, d.m2, 1e-12);
        }
    };
    agree(leaf.total().data(), expected.total().data());
    for (std::size_t cell = 0; cell < features.n_numeric_cells(); ++cell)
        agree(leaf.numeric_cell(cell), expected.numeric_cell(cell));
    const auto c = leaf.nominal(0).by_code(Layout::moments);
    const auto d = expected.nominal(0).by_code(Layout::moments);
    CHECK(c.size() == d.size());
    for (std::size_t k = 0; k < c.size() && k < d.size(); ++k) {
        CHECK(c[k].first == d[k].first);
        agree(c[k].second, d[k].second);
    }
}

TEST(one_more_class_leaves_the_rows_so_far_as_they_were) {
    const Layout three{CellKind::softmax_counts, 3}, four{CellKind::softmax_counts, 4};
    for (const std::size_t categories : {5U, 120U})
        for (const std::size_t buffer : {1000U, 17U}) {
            const FeatureSpace features = leaves::space({5, 0, 3});
            std::vector<Row> rows = some_rows(150, features, three, 21, categories);
            LeafStatistics leaf(three, true, 1'000'000);
            FlushScratch scratch;
            const auto append = [&](const Row& row) {
                if (leaves::append(leaf, row, features.width(), buffer).buffer_is_full())
                    leaf.flush(features, scratch);
            };
            for (const Row& row : rows) append(row);
            CHECK(leaf.has_waiting_rows());  // they stay as they are
            leaf.add_class();
            CHECK(leaf.layout() == four);
            for (const Row& row : some_rows(80, features, four, 22, categories)) {
                rows.push_back(row);
                append(row);
            }
            leaf.flush(features, scratch);
            CHECK(same(leaf, leaves::filled(rows, features, four), features));
        }
}

TEST(a_leaf_without_cells_gets_one_more_class_too) {
    const Layout two{CellKind::softmax_counts, 2}, three{CellKind::softmax_counts, 3};
    const FeatureSpace features = leaves::space({5});
    std::vector<Row> rows = some_rows(50, features, two, 23);
    LeafStatistics leaf = leaves::filled(rows, features, two);
    leaf.drop_cells();
    leaf.add_class();
    append_more(leaf, rows, some_rows(50, features, three, 24), features);
    const LeafStatistics whole = leaves::filled(rows, features, three);
    CHECK(leaf.bytes() == LeafStatistics::bytes_without_cells(three));
    CHECK(same_numbers(leaf.total().data(), whole.total().data(), 3));
}

TEST(several_outputs_are_kept_as_each_of_them_would_be_alone) {
    for (const CellKind kind : {CellKind::constant_hessian, CellKind::moments}) {
        const Layout several{kind, 3}, one{kind, 1};
        const FeatureSpace features = leaves::space({5, 0});
        const std::vector<Row> rows = some_rows(200, features, several, 25);
        const LeafStatistics together = leaves::filled(rows, features, several);
        const std::size_t sums = kind == CellKind::moments ? 5 : 2;
        for (std::size_t j = 0; j < 3; ++j) {
            std::vector<Row> of_output = rows;
            for (Row& row : of_output) {
                const std::vector<double> record = row.record();
                row.evidence = {record[0], record[place_of_g(j)], record[place_of_h(j)]};
                row.more.clear();
            }
            const LeafStatistics alone = leaves::filled(of_output, features, one);
            CHECK(together.references()[j].g == alone.references()[0].g);
            const auto agree = [&](const double* a, const double* b) {
                CHECK(a[0] == b[0] && same_numbers(a + 1 + sums * j, b + 1, sums));
            };
            agree(together.total().data(), alone.total().data());
            for (std::size_t cell = 0; cell < features.n_numeric_cells(); ++cell)
                agree(together.numeric_cell(cell), alone.numeric_cell(cell));
            const auto c = together.nominal(0).by_code(several), d = alone.nominal(0).by_code(one);
            CHECK(c.size() == d.size());
            for (std::size_t k = 0; k < c.size() && k < d.size(); ++k)
                agree(c[k].second, d[k].second);
        }
    }
}

TEST(a_row_that_stands_for_others_counts_like_so_many_rows) {
    const FeatureSpace features = leaves::space({5, 0});
    std::vector<Row> thinned = some_rows(60, features, Layout::moments, 27), all;
    for (std::size_t r = 0; r < thinned.size(); ++r) {
        const bool stands_for_others = r % 3 == 1;
        for (int i = 0; i < (stands_for_others ? kCopies : 1.0); ++i) all.push_back(thinned[r]);
        if (stands_for_others) thinned[r].evidence.copies = kCopies;
    }
    const LeafStatistics few = leaves::filled(thinned, features, Layout::moments);
    const LeafStatistics many = leaves::filled(all, features, Layout::moments);
    CHECK(few.rows() == 60 && many.rows() == 60 + 20 * 7);
    CHECK_CLOSE(few.weight(), many.weight(), 1e-9);
    CHECK_CLOSE(few.effective_rows(), many.effective_rows(), 1e-9);
    CHECK(few.references()[0].h == many.references()[0].h);
    const auto agree = [](const double* a, const double* b) {
        for (std::size_t i = 0; i < cell_width(Layout::moments); ++i)
            CHECK_CLOSE(a[i], b[i], 1e-9 * (1.0 + std::fabs(b[i])));
    };
    agree(few.total().data(), many.total().data());
    for (std::size_t cell = 0; cell < features.n_numeric_cells(); ++cell)
        agree(few.numeric_cell(cell), many.numeric_cell(cell));
}

TEST(looks_are_due_at_the_same_rows_however_they_are_asked_for) {
    for (const std::size_t least : {2U, 25U, 200U})
        for (const double growth : {0.0, 1e-9, 0.1, 0.5, 1.0}) {
            const GracePeriod grace(least, growth);
            std::uint64_t due = least;
            for (std::uint64_t rows = 0; rows < 20'000; ++rows) {
                if (rows == due) {
                    const std::size_t step = grace.after(due);
                    CHECK(step >= least && step <= 8 * least);
                    CHECK(growth > 1e-3 || step == least);
                    due += step;
                }
                CHECK(grace.next(rows) == due);
            }
        }
    CHECK(GracePeriod(25, 0.5).next(1'000'000'000'000) > 1'000'000'000'000);
}

TEST(a_leaf_with_few_rows_holds_few_bytes) {
    const FeatureSpace features = leaves::space(std::vector<std::size_t>(50, 64));
    LeafStatistics leaf(Layout::moments, true, 1000);
    const std::size_t empty = leaf.bytes();
    for (const Row& row : some_rows(4, features, Layout::moments, 20))
        leaves::append(leaf, row, features.width(), 256);
    CHECK(leaf.bytes() <= empty + 4 * (50 + kept_width(Layout::moments) * sizeof(double)));
}

int main(int argc, char** argv) {
    return check::run(argc, argv);
}
