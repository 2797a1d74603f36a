"""The paper's experiments on the real data, each with claim, measurement and verdict (`make figures`)."""
