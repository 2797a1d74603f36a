"""A map of handwritten digits, and which pixels set one of them apart."""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from featmap import FeatMAP, plot

digits = load_digits()
model = FeatMAP(random_state=0).fit(digits.data)

print("the five pixels that set row 0 apart:", model.top_features([0], k=5)[0])
print(f"fidelity of its arrows, a cosine: {model.fidelity([0])[0]:.2f}")

plot.why(model, 0, image_shape=(8, 8), image=digits.data[0], labels=digits.target)
plt.savefig("digits.png")
