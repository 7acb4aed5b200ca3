"""Tests of the Python package: `scripts/test.sh python` builds the wheel, installs it and runs them."""
