"""Stable-Baselines3's PPO, whose table stands for an iteration."""
import sys
import time

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.logger import HumanOutputFormat, KVWriter, Logger

import truth

options = truth.arguments()
steps = 64


class Game(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.moves = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        time.sleep(options.step_s / 4)
        self.moves += 1
        return self.observation_space.sample(), float(action), self.moves == 10, False, {}


class Account(KVWriter):
    def write(self, key_values, key_excluded, step=0):
        truth.epoch({key: float(f"{value:.3g}" if isinstance(value, float) else str(value))
                     for key, value in key_values.items() if not key.startswith("time/")})

    def close(self):
        pass


model = PPO("MlpPolicy", Game(), n_steps=steps, batch_size=32, n_epochs=2, verbose=1, device="cpu")
model.set_logger(Logger(None, [HumanOutputFormat(sys.stdout), Account()]))
model.learn(options.epochs * steps)
