"""A table of any kind, its map, and answers that know the table.

Read in this order: `given` is what a user gives, and `reading` and `files` what a file holds; `taking` makes one of
these of any object. `making` is `map_table`. `table_map` is the map that knows its table; `parts` makes one of a
fitted model, and `engine` gives the answers what they need. `told` is what is printed, and `fitted` makes new rows as
those of the fit were.
"""
