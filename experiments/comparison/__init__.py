"""Every method on every data set by every metric."""
