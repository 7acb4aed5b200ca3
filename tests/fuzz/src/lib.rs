//! Random and broken input for every door: every place where Lipscope reads input from a person, a file or a server.
//!
//! Input number i of a seed is always the same bytes (`Door::input`): a valid input with a few faults, or, once in a
//! hundred, random bytes. So three words name a failure: `door seed number`. While inputs are read, only the number has
//! to be saved, so a crash of the process loses nothing.
//!
//! Each input is read within a limit of time and of memory, and must be accepted or refused with one short sentence. A
//! door that accepts an input goes on with it (measures a small experiment, draws a table, writes a link and reads it
//! again), because much breaks only after reading.
//!
//! | module | concept |
//! | --- | --- |
//! | `mutate` | one thing wrong: in bytes, in a text, in a JSON document |
//! | `corpus` | the valid inputs that everything starts from, `tests/fuzz/corpus/DOOR/*` |
//! | `door` | what a door is, and what it checks |
//! | `doors` | the doors, a file each |
//! | `run` | reads a series of inputs and collects the faults |
//! | `report` | the table of docs/reliability.md |

pub mod corpus;
pub mod door;
pub mod doors;
pub mod mutate;
pub mod report;
pub mod run;
