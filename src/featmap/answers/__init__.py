"""Why a row lies where it lies, in one answer: its place, how it differs, a rule, and what would move it.

Read in this order:

- what is known of the rows: `table`, and `making`, which makes it of what users have;
- where they lie: `place` and `regions`, with `labels` if there are some;
- what can be named: `features`, with `ranks`, `associations` and `groups`;
- how a row differs: `evidence`, `typical`, `differences` and `compared`;
- which answer it gets: `kinds`, and `record`, which has all of this for all rows;
- what is searched: rules by `cuts`, `search` and `rules`, moves by `moves` and `moving`, labels to doubt by `doubt`;
- the answers: `values`, put together by `row_answers`, `naming` and `about_columns`; `asking` is the door to all;
- how they are said: `sentences`, `report` and `numbers`; `matching` applies a rule to a table.
"""
