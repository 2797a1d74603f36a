import sys

import numpy as np

from featmap.cli import main

np.save("X.npy", np.random.default_rng(0).normal(size=(60, 3)))
sys.argv = ["featmap", "map", "X.npy", "-o", "map.html"]
main()
