// Every constant of the forecast (the model: forecast.hpp): those of the model of one run, and
// those of schedules, of laws of scaling and of reference runs.
#pragma once

namespace epochcast::forecast {

// The model of one run. They were chosen so that the interval score (Winkler 1972) on held-out
// benchmarks is low and simulated noise keeps its coverage (tests/bench/forecast_scores); the data
// are listed in docs/explanation/forecasts.md.

/// Noise of the units of a run, as a standard deviation and a part of their time, before the run
/// shows its own; it counts like noise_freedom degrees of freedom.
inline constexpr double usual_noise = 0.012;
inline constexpr double noise_freedom = 2;

/// Half-widths of 80 and 95 % intervals in standard errors of the mean rate to come, from conformal
/// scores: of 80 % with each configuration once; of 95 % the largest that is asked for without one
/// of the sources of runs, each benchmark with the same weight. They are far from 1.28 and 1.96,
/// since a run may change in ways that its first units do not show.
inline constexpr double errors_80 = 1.1;
inline constexpr double errors_95 = 3.9;

/// Standard errors of a single unit: how much of it is warm-up is not known.
inline constexpr double one_unit_below = 0.13;
inline constexpr double one_unit_above = 0.07;

/// Of two units, so much of the difference may be noise: the rest is warm-up of the first.
inline constexpr double warm_up_of_two = 0.055;

/// How long a program of a framework starts (imports, first batch) before its first epoch: 2.8 to
/// 10 s of 14 programs.
inline constexpr double usual_start_up_s = 10;

/// What a slower or faster first unit adds to the error, as a part of the difference: warm-up may
/// go on, and a faster first unit is a sign of a run that changes. Divided by the square root of
/// the number of units after it.
inline constexpr double slower_first = 0.2;
inline constexpr double faster_first = 0.5;
/// What a first unit of more than twice the rate adds above, as a part of what is more: a run that
/// changes so much may change again (in reinforcement learning the first units are the fastest or
/// the slowest, and the rest is neither).
inline constexpr double far_slower_first = 0.1;
/// A first unit may be slower for reasons that say nothing about warm-up in the others.
inline constexpr double most_warm_up = 0.3;

/// Steps of a run without epochs may have a schedule (batch size, length of sequences) that begins
/// later: in public speed runs, steps became 2.6 times as long after a third of the run. As a
/// standard error of the time to come, falling with the share of the run that was seen until
/// share_that_shows.
inline constexpr double unseen_schedule = 0.35;
inline constexpr double share_that_shows = 0.3;

/// Evaluations that begin later than what was seen, as a standard error of the time to come where
/// no pause was seen: in MLPerf v4.0 they take 12 to 17 % more where a run begins to evaluate in
/// the middle.
inline constexpr double unseen_pauses = 0.05;
/// What pauses take in all where no evaluation was seen, as a part of the steps.
inline constexpr double no_pause = 0.01;

/// In MLPerf v4.0 and v5.0 an evaluation takes 0.2 of the work between two (v5.0: 0.20 in the
/// middle, from 0.05 on; v4.0: 0.24, up to 0.3), and its logarithm spreads by so much.
inline constexpr double unseen_evaluation = 0.2;
inline constexpr double spread_of_evaluations = 0.7;
/// The same of a checkpoint, of which those logs say nothing: judgement.
inline constexpr double unseen_checkpoint = 0.02;
/// At most so much of an epoch, where it comes after whole epochs (the same logs: 0.015 to 0.10).
inline constexpr double unseen_gap = 0.05;

/// The prior of the noise of gaps and pauses: a part of their mean, which counts like so many more
/// of them.
inline constexpr double gap_noise = 0.3;
inline constexpr double gap_freedom = 3;

/// How long the end of a run takes at most, after what follows its last epoch, as a fraction of the
/// run: 0 to 0.8 % in a later MLPerf round.
inline constexpr double run_end = 0.008;

/// Nominally equal nodes differ by up to 5.5 %. A larger difference has another cause than the
/// machine.
inline constexpr double machine_tolerance = 0.06;

/// Epochs are equal within this tolerance.
inline constexpr double epoch_tolerance = 0.03;

/// Runs on one system differ by 0.04 to 0.7 % (standard deviation).
inline constexpr double between_runs = 0.005;

/// The error of a model fitted to few points, as a fraction: nominally equal nodes differ by up to
/// 5.5 %. Until the points show the error of the model itself, this value counts like law_freedom
/// additional points.
inline constexpr double law_deviation = 0.05;
inline constexpr double law_freedom = 3;

/// Reference runs: one system cannot agree with itself; and one system two and a half times as
/// different as machines and epochs of one kind are, or several further away, is none.
inline constexpr double fewest_systems = 2;
inline constexpr double least_near = 0.1;

}  // namespace epochcast::forecast
