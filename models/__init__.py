"""The weights of the networks and how they are trained."""
