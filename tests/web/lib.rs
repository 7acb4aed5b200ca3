//! Only tests: each file beside this one runs in Chromium.
