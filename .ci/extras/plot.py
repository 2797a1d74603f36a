from featmap import FeatMAP, plot

plot.embedding(FeatMAP.load("model.featmap")).figure.savefig("map.png")
