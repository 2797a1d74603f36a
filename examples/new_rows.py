"""Put new rows on a map that exists, and ask what sets them apart."""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP

X = load_breast_cancer(as_frame=True).data
train, new = train_test_split(X, test_size=20, random_state=0)
scaler = StandardScaler().set_output(transform="pandas").fit(train)
model = FeatMAP(random_state=0).fit(scaler.transform(train))

print(model.transform(scaler.transform(new)).shape)  # each row is placed by itself; the map stays as it is
print(model.explain(scaler.transform(new)).top_features([0, 1], k=3))
