"""The numbers of an evaluation: returns, errors of a world model, imagined play and termination forecasts."""
