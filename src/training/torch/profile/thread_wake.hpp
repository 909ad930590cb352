// What it costs to have an operator computed by several threads. No LibTorch type appears here.
#pragma once

namespace epochcast::libtorch {

/// Seconds by which each further thread lengthens an operator, up to `threads` threads (at least
/// 2): LibTorch wakes its threads and waits until all of them are done. A layer norm of one short
/// row for each thread is timed, which LibTorch divides by rows, however few there are; there is
/// nearly no arithmetic to divide. It runs on 1, 2, 4, ... and `threads` threads, one call right
/// after the other like the operators of a step. The result is the slope of the medians over the
/// number of further threads, by least squares through one thread; 0 if more threads take no
/// longer. Takes `budget_s` seconds and leaves LibTorch with `threads` threads.
double thread_wake_s(int threads, double budget_s);

}  // namespace epochcast::libtorch
