// The detector of a model: it sees the error of each prediction, a number from 0 to 1, and finds
// when errors have become larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "sgt/archive/archive.hpp"
#include "sgt/clones.hpp"
#include "sgt/drift/adwin.hpp"
#include "sgt/drift/page_hinkley.hpp"

namespace sgt {

enum class DetectorKind : std::uint8_t { adwin, page_hinkley };

class Detector {
public:
    // ADWIN's window has buckets of 32 rows at least: a row then costs an addition.
    static constexpr double kAdwinDelta = 0.01;
    static constexpr std::size_t kAdwinBucket = 32, kAdwinTest = 64;

    explicit Detector(DetectorKind kind = DetectorKind::adwin, double adwin_delta = kAdwinDelta) {
        if (kind == DetectorKind::adwin)
            detector_ = Adwin(adwin_delta, kAdwinBucket, kAdwinTest);
        else
            detector_ = PageHinkley();
    }

    // Takes the error of the next row. Returns whether errors have risen, which `change` describes.
    SGT_INLINE bool add(double error) {
        if (auto* adwin = std::get_if<Adwin>(&detector_))
            return adwin->add(error) && adwin->change().is_rise();
        return std::get_if<PageHinkley>(&detector_)->add(error);
    }
    const MeanChange& change() const {
        return std::visit([](const auto& d) -> const MeanChange& { return d.change(); }, detector_);
    }

    void save(Archive& archive, const std::string& prefix) const {
        std::visit([&](const auto& d) { d.save(archive, prefix); }, detector_);
    }
    void load(const ArchiveView& archive, const std::string& prefix) {
        std::visit([&](auto& d) { d.load(archive, prefix); }, detector_);
    }

private:
    std::variant<Adwin, PageHinkley> detector_;
};

}  // namespace sgt
