"""Pixels to pieces: cameras, calibration, detectors, readers, and the state of the table."""

import os

# OpenCV reports a camera that is not there on the terminal by itself; `vision.camera` says it in words.
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
# The last bar against pictures that grow: `vision.images` reads the size first, and a decoder may read it otherwise.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "60000000")
