"""Computes statistics over runs: means, interquartile means, bootstrap intervals, curves of groups."""
