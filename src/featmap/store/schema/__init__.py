"""How values become a tree of JSON and a list of arrays, and back: a codec for each kind of value.

Reading follows the codec, never the file: a tree of another form than the codec expects is refused.
"""
