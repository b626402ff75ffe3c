"""Drawn pieces, synthetic tables, printable kits, played games and the evaluation harness."""
