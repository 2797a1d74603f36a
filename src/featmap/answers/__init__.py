"""Why a row lies where it lies, in one answer: its place, how it differs, a rule, and what would move it.

Read in this order: `table` is what is known, `place` where rows lie, `features` and `groups` what can be named,
`evidence` and `differences` how a row differs, `kinds` what sort of answer it gets, and `record` all of this for all
rows. `cuts`, `search` and `rules` find rules, `regions` the islands of the map, `moves` what would move a row, and
`doubt` which labels are doubtful. `asking` puts answers together; `values` is what they are made of, `sentences` and
`report` how they are said.
"""
