"""The parts of tools/build-packages."""
