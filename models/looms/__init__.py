"""How the loom reader learns: drawn looms in cheap views, three small networks, one command (`models.looms.train`)."""
