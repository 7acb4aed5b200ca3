//! Reads a log in slices, between which the page can answer.

use std::time::Duration;

use crate::prelude::*;

use crate::frame::now;
use crate::strings;
use lipscope_run::{Run, RunReader};

/// How long a slice is, in milliseconds.
const SLICE: f64 = 8.0;

/// A log that is being read.
pub struct Reading {
    name: String,
    bytes: Vec<u8>,
    at: usize,
    reader: RunReader,
}

/// What a reading calls at its end: with the run, or with a sentence.
pub type Then = Box<dyn FnOnce(Result<Run, String>)>;

impl Reading {
    /// A log before its first line.
    pub fn new(name: String, bytes: Vec<u8>) -> Self {
        Reading { name, bytes, at: 0, reader: RunReader::new() }
    }

    /// Reads for the length of a slice, and the rest in later tasks, as long as `goes_on` says so.
    pub fn go_on(mut self, goes_on: impl Fn() -> bool + 'static, then: Then) {
        if !goes_on() {
            return;
        }
        let until = now() + SLICE;
        while now() < until {
            if self.at >= self.bytes.len() {
                return then(self.finish());
            }
            if let Err(problem) = self.read_line() {
                return then(Err(problem));
            }
        }
        set_timeout(move || self.go_on(goes_on, then), Duration::ZERO);
    }

    /// Reads a line, or a sentence about what is wrong with it.
    fn read_line(&mut self) -> Result<(), String> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        let length = end.unwrap_or(rest.len());
        let line = std::str::from_utf8(&rest[..length]).map_err(|_| strings::model_not_text(&self.name))?;
        let read = if end.is_some() { self.reader.read_line(line) } else { self.reader.read_last_line(line) };
        self.at += length + 1;
        read.map_err(|problem| strings::problem_text(&problem.in_file(&self.name)))
    }

    fn finish(self) -> Result<Run, String> {
        let name = self.name;
        self.reader.finish().map_err(|problem| strings::problem_text(&problem.in_file(&name)))
    }
}
