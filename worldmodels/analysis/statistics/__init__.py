"""Statistics over runs: means, interquartile means, bootstrap intervals."""
