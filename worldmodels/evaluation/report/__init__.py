"""Shows the results of an evaluation: numbers, curves, images and videos."""
