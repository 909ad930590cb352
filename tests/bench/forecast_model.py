"""The forecast of whole epochs as src/forecast/run/forecast.hpp describes it, written again from that page: forecast_scores checks
that the program gives the same numbers, and leaves out one term at a time to see what each wins."""
import math
import statistics

TERMS = {  # with the lines of each in unit_rate.cpp
    "odd": ("of 3 to 5 units an odd one is left out", 21),
    "median": ("of 4 and 5, the middle with the median of the last three", 4),
    "noise": ("the noise that the run shows, else 1.2 %", 12),
    "level": ("a level that changes: one more unit of noise", 1),
    "capped": ("of two units, at most 5.5 % of the difference is noise", 1),
    "half": ("from 10 units on, the noise of the later half", 3),
    "slower": ("a slower first unit: warm-up may go on", 1),
    "faster": ("a faster first unit widens both sides", 1),
    "far": ("a first unit of more than twice the rate widens above", 1),
}


def forecast(seconds, work, left, without=""):
    """(mean time of `left` more work, error below, error above, as parts of it) after units of these times and work."""
    units = list(zip(seconds, work))
    rates = [s / w for s, w in units]
    k = len(units)
    half = 1 if k == 1 else k // 2
    odd = odd_one(rates) if without != "odd" else None
    later = [u for i, u in enumerate(units) if i != odd][-half:]
    rate = sum(s for s, _ in later) / sum(w for _, w in later)
    if k in (4, 5) and without != "median":
        rate = (rate + statistics.median(rates[-3:])) / 2
    if k == 1:
        return rate * left, 0.13, 0.07
    share = [r / rate for r in rates]
    if k == 2:
        most = 0.055 if without != "capped" else math.inf
        squares, freedom = min(max(share[0] - 1, -1), most) ** 2 / 2, 1
    else:
        many = k >= 10 and without != "half"
        chosen = [r for i, r in enumerate(share) if i >= (k - half if many else 1) and (i != odd or k == 3)]
        middle = sum(chosen) / len(chosen)
        squares, freedom = sum((r - middle) ** 2 for r in chosen), (half if many else k - 1) - 1
    if without == "noise":
        squares, freedom = 0, 0
    variance = (2 * 0.012**2 + squares) / (2 + freedom)
    coming = left / (sum(w for _, w in units[-half:]) / half)
    errors = variance * (1 / half + 1 / coming + (without != "level"))
    first = share[0] - 1
    if without != "faster":
        errors += (0.5 * min(max(-first, 0), 1)) ** 2 / (k - 1)
    below = errors + (0.2 * min(max(first, 0), 0.3)) ** 2 / (k - 1) if without != "slower" else errors
    above = errors + (0.1 * max(0, first - 1)) ** 2 / (k - 1) if without != "far" else errors
    return rate * left, math.sqrt(below), math.sqrt(above)


def odd_one(rates):
    if len(rates) == 3:
        alike = max(rates[:2]) <= 1.06 * min(rates[:2])
        return 2 if alike and rates[2] > 1.06 * max(rates[:2]) else None
    if len(rates) not in (4, 5):
        return None
    slowest = max(range(1, len(rates)), key=lambda i: rates[i])
    others = [r for i, r in enumerate(rates) if i not in (0, slowest)]
    far = max(0.06 * statistics.median(others), 2 * (max(others) - min(others)))
    return slowest if rates[slowest] - max(others) > far else None
