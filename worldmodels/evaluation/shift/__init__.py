"""Distribution shifts: environments that differ from that of training, and what they do to a run."""
