"""Pixels to pieces: cameras, calibration, detectors, readers, and the state of the table."""
