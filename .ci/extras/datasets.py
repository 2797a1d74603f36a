from featmap.datasets.loading import optional_package

optional_package("pooch").retrieve  # noqa: B018 - a download itself would need the network
optional_package("PIL.Image").open  # noqa: B018
