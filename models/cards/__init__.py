"""How the card eyes learn: where cards are, how they lie, and which they are, each learnt apart."""
