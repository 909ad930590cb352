"""The reader's own train.py: it prints what a training prints, and takes two seconds."""
import argparse
import time

parser = argparse.ArgumentParser()
parser.add_argument('--epochs', type=int, default=10)
parser.add_argument('--lr', type=float, default=0.1)
options = parser.parse_args()
for epoch in range(1, options.epochs + 1):
    time.sleep(0.2)
    print(f'Epoch {epoch}/{options.epochs} loss {1 / epoch:.3f}')
