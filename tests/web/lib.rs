//! Nothing but tests: each file beside this one is run in Chromium.
