#include "sgt/drift/replacement.hpp"

namespace sgt {

namespace {

// A background whose t is no more than this after its trial does not lead.
constexpr double kLeadingT = 1.0;

}  // namespace

double Replacement::difference(const double* in_place, const double* in_background) {
    if (n_targets() == 1) return *in_place - *in_background;
    const double share = std::max(1.0 / static_cast<double>(proof_.rows() + 1), kShareOfRow);
    double sum = 0.0;
    for (std::size_t j = 0; j < n_targets(); ++j) {
        double& mean = mean_losses_[j];
        const double loss = 0.5 * (std::fabs(in_place[j]) + std::fabs(in_background[j]));
        if (!std::isfinite(loss)) continue;
        mean += share * (loss - mean);
        if (mean > 0.0) sum += (in_place[j] - in_background[j]) / mean;
    }
    return sum;
}

void Replacement::note(const DriftEvent& event) {
    if (events_.size() == kMostEvents) events_.erase(events_.begin());
    events_.push_back(event);
}

void Replacement::note_alarm(std::uint64_t row) {
    const MeanChange& change = detector_.change();
    note({DriftEvent::Kind::alarm, row, change.before, change.after, change.inputs_before,
          change.inputs_after});
    start_proof();
}

void Replacement::give_up(DriftEvent::Kind why, std::uint64_t row) {
    note({why, row, proof_.mean(), proof_.t(), proof_.rows(), 0});
    start_proof();
}

Replacement::Verdict Replacement::look(std::uint64_t row) {
    if (proof_.t() > kProvingT && proof_.has_no_more_errors()) {
        give_up(DriftEvent::Kind::replaced, row);
        ++n_replaced_;
        restart();
        return Verdict::replace;
    }
    const bool is_worse = proof_.rows() >= kRowsOfYouth && proof_.t() < -kProvingT;
    const bool does_not_lead = proof_.rows() >= kRowsOfTrial && proof_.t() <= kLeadingT;
    if (!is_worse && !does_not_lead) return Verdict::wait;
    give_up(DriftEvent::Kind::no_lead, row);
    return Verdict::give_up;
}

void Replacement::save(Archive& archive, const std::string& prefix, bool inference_only) const {
    const std::string place = prefix + "drift/";
    std::vector<std::int64_t> counts{static_cast<std::int64_t>(n_replaced_)};
    std::vector<double> numbers;
    for (const DriftEvent& event : events_) {
        for (const std::uint64_t count :
             {static_cast<std::uint64_t>(event.kind), event.row, event.n_first, event.n_second})
            counts.push_back(static_cast<std::int64_t>(count));
        numbers.insert(numbers.end(), {event.first, event.second});
    }
    archive.put(place + "events/counts", std::move(counts));
    archive.put(place + "events/numbers", std::move(numbers));
    if (inference_only) return;
    detector_.save(archive, place + "detector/");
    proof_.save(archive, place + "proof/");
    archive.put<std::int64_t>(place + "n_errors", {static_cast<std::int64_t>(n_errors_)});
    archive.put(place + "mean_errors", mean_errors_);
    archive.put(place + "units", units_);
    archive.put(place + "mean_losses", mean_losses_);
}

void Replacement::load(const ArchiveView& archive, const std::string& prefix, bool inference_only) {
    const std::string place = prefix + "drift/";
    ArrayReader<std::int64_t> counts(archive, place + "events/counts");
    ArrayReader<double> numbers(archive, place + "events/numbers");
    const auto count = [&] { return to_count(counts.next(), place + "events/counts"); };
    n_replaced_ = count();
    const std::size_t n = archive.get<double>(place + "events/numbers").size() / 2;
    if (n > kMostEvents) Archive::fail(place + "events/numbers", "is too long");
    for (std::size_t i = 0; i < n; ++i) {
        DriftEvent event;
        const std::uint64_t kind = count();
        if (kind > static_cast<std::uint64_t>(DriftEvent::Kind::harm))
            Archive::fail(place + "events/counts", "has an event that does not exist");
        event.kind = static_cast<DriftEvent::Kind>(kind);
        event.row = count();
        event.n_first = count();
        event.n_second = count();
        event.first = numbers.next();
        event.second = numbers.next();
        events_.push_back(event);
    }
    counts.finish();
    numbers.finish();
    if (inference_only) return;
    detector_.load(archive, place + "detector/");
    proof_.load(archive, place + "proof/");
    const auto means = [&](const std::string& name) {
        const auto values = archive.get<double>(name, n_targets());
        for (const double mean : values)
            if (!(std::isfinite(mean) && mean >= 0.0)) Archive::fail(name, "is out of range");
        return to_vector(values);
    };
    n_errors_ = archive.get_count(place + "n_errors");
    mean_errors_ = means(place + "mean_errors");
    units_ = means(place + "units");
    mean_losses_ = means(place + "mean_losses");
}

}  // namespace sgt
