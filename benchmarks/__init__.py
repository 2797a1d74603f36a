"""featMAP beside its peers: time, memory and quality (`make bench`); and studies of how the method works."""
