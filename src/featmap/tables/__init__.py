"""A table of any kind, its map, and answers that know the table.

Read in this order: `given` is what a user gives, `reading` and `files` what a file holds, and `taking` makes one of
these of any object. `making` is `map_table`: `preparing` makes the data of the fit, and `knowing` keeps what is known
beside it. `table_map` is the map that knows its table, `parts` makes one of a fitted model, and `engine` gives the
answers what they need. `told` is what is printed, and `fitted` makes new rows as those of the fit were.
"""
