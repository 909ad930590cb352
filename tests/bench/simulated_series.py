"""Simulated runs of 50 epochs, for tests/bench/forecast_scores: KINDS has a function of each kind, from a generator of random
numbers to the times of the epochs; a usual epoch takes 1."""
import math

EPOCHS = 50


def noise(draw, part):
    return [max(0.01, draw.gauss(1, part)) for _ in range(EPOCHS)]


def dependent(draw, kept, part=0.05):
    """AR(1): the part `kept` of a deviation stays in the next epoch."""
    values, state = [], draw.gauss(0, part)
    for _ in range(EPOCHS):
        values.append(max(0.01, 1 + state))
        state = kept * state + draw.gauss(0, part * math.sqrt(1 - kept * kept))
    return values


def shaped(shape):
    """1 % of noise times a shape over the epochs."""
    return lambda draw: [value * shape(draw, epoch) for epoch, value in enumerate(noise(draw, 0.01))]


def slow_first(times):
    return shaped(lambda draw, epoch: times if epoch == 0 else 1)


def walk(draw):
    values, level = [], 1
    for _ in range(EPOCHS):
        values.append(level)
        level *= math.exp(draw.gauss(0, 0.01))
    return values


def levels(draw):
    values, level = [], 1
    for value in noise(draw, 0.01):
        level = draw.uniform(0.8, 1.25) if draw.random() < 0.05 else level
        values.append(level * value)
    return values


# Of this kind the run ends there, though all 50 epochs are asked for.
STOPS = 'stops after 11 to 50 epochs'
DRIFTS = {
    'rises 0.3 % an epoch': shaped(lambda draw, epoch: 1 + 0.003 * epoch),
    'rises 1 % an epoch': shaped(lambda draw, epoch: 1 + 0.01 * epoch),
    'random walk, 1 % an epoch': walk,
    'levels, 1 change in 20 epochs': levels,
    'each fifth epoch x 1.3': shaped(lambda draw, epoch: 1.3 if epoch % 5 == 4 else 1),
    '1 epoch in 10 x 3': shaped(lambda draw, epoch: 3 if draw.random() < 0.1 else 1),
    STOPS: lambda draw: noise(draw, 0.01),
}
KINDS = {
    'noise of 1 %': lambda draw: noise(draw, 0.01),
    'noise of 5 %': lambda draw: noise(draw, 0.05),
    'noise of 20 %': lambda draw: noise(draw, 0.2),
    'AR(1) 0.6, 5 %': lambda draw: dependent(draw, 0.6),
    'AR(1) 0.9, 5 %': lambda draw: dependent(draw, 0.9),
    'first epoch x 1.2': slow_first(1.2),
    'first epoch x 1.5': slow_first(1.5),
    'first epoch x 3': slow_first(3),
    'exponential warm-up': shaped(lambda draw, epoch: 1 + math.exp(-epoch / 2)),
    **DRIFTS,
}
