"""Windows of experience, and a model's predictions and errors along them."""
