from featmap import FeatMAP

widget = FeatMAP.load("model.featmap").explore()
widget.selection = [2, 1]
assert widget.selection.tolist() == [1, 2]
