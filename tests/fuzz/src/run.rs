//! Reads a series of inputs at a door and collects the faults.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::corpus;
use crate::door::{Door, Verdict};

/// An input that takes longer is read once more, and then its processor time is measured: on a busy machine any input
/// may have to wait.
const SUSPECT: Duration = Duration::from_millis(50);
/// The stack size of a browser's worker, and of a Rust thread.
const STACK: usize = 2 << 20;
/// The most faults of one kind that are kept, and the most faults in all.
const MOST_ALIKE: usize = 2;
const MOST_FAULTS: usize = 20;

/// A range of inputs of a seed.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// The seed.
    pub seed: u64,
    /// The number of the first input.
    pub first: u64,
    /// The step from one input's number to the next.
    pub step: u64,
    /// The number after that of the last input.
    pub end: u64,
    /// The time after which the series stops in any case.
    pub time: Duration,
    /// The most processor time of one input.
    pub most_time: Duration,
}

/// An input that broke something.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its number, or its file in the corpus.
    pub name: String,
    /// The input.
    pub input: Vec<u8>,
    /// What happened.
    pub what: String,
}

/// The result of a series.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Inputs that were read, those of the corpus included.
    pub inputs: u64,
    /// How many of them were taken.
    pub taken: u64,
    /// The longest time of one input.
    pub slowest: Duration,
    /// The inputs that broke something.
    pub faults: Vec<Fault>,
}

/// Reads the corpus of a door, then a series of inputs. Before each input of the series is read, `begin` gets its
/// number.
///
/// Memory is counted for the whole process, so one series runs at a time.
///
/// # Errors
/// Where the corpus cannot be read.
pub fn run(door: &'static Door, series: Series, begin: impl Fn(u64) + Send) -> io::Result<Tally> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let entries = corpus::entries(door.name)?;
    std::thread::scope(|scope| {
        let work = move || {
            let mut tally = Tally::default();
            for entry in &entries {
                tally.add(door, series.most_time, &entry.name, &entry.bytes);
            }
            let valid: Vec<Vec<u8>> = entries.into_iter().map(|entry| entry.bytes).chain((door.made)()).collect();
            let began = Instant::now();
            let mut number = series.first;
            while number < series.end && began.elapsed() < series.time && tally.faults.len() < MOST_FAULTS {
                begin(number);
                tally.add(door, series.most_time, &number.to_string(), &door.input(series.seed, number, &valid));
                number += series.step;
            }
            tally
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        thread.join().map_err(|_| io::Error::other("the thread that reads ended"))
    })
}

impl Tally {
    fn add(&mut self, door: &Door, most_time: Duration, name: &str, input: &[u8]) {
        self.inputs += 1;
        match read(door, most_time, input) {
            Ok((verdict, time)) => {
                self.taken += u64::from(verdict == Verdict::Taken);
                self.slowest = self.slowest.max(time);
            }
            Err(what) => {
                let kind = kind(&what);
                if self.faults.iter().filter(|fault| self::kind(&fault.what) == kind).count() < MOST_ALIKE {
                    self.faults.push(Fault { name: name.to_owned(), input: input.to_vec(), what });
                }
            }
        }
    }
}

/// Reads one input.
///
/// # Errors
/// The failure: a panic with its location, or the processor time it took, if that is above `most_time`.
pub fn read(door: &Door, most_time: Duration, input: &[u8]) -> Result<(Verdict, Duration), String> {
    let timed = |clock: fn() -> Duration| {
        let began = clock();
        caught(|| (door.feed)(input)).map(|verdict| (verdict, clock().saturating_sub(began)))
    };
    let (verdict, time) = timed(wall_time)?;
    if time <= SUSPECT {
        return Ok((verdict, time));
    }
    let (verdict, time) = timed(processor_time)?;
    if time > most_time {
        return Err(format!("time: it took {:.1} s, and {} s are allowed", time.as_secs_f64(), most_time.as_secs()));
    }
    Ok((verdict, time))
}

fn wall_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// The processor time of this thread, where the system reports it, as Linux does.
fn processor_time() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(wall_time, Duration::from_nanos)
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The result of some work, or the text and location of its panic, which is not printed.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_watched = PANIC.with_borrow(Option::is_some);
            if !is_watched {
                return before(info);
            }
            let text = info.payload_as_str().unwrap_or("a panic without a text");
            let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
            PANIC.set(Some(format!("{}: {text:.2000}", place.unwrap_or_default())));
        }));
    });
    PANIC.set(Some(String::new()));
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let what = PANIC.take().unwrap_or_default();
    outcome.map_err(|_| what)
}

/// Faults of one kind begin alike: the location of a panic, and the first words of its text.
fn kind(what: &str) -> String {
    what.chars().filter(|c| !c.is_ascii_digit()).take(60).collect()
}
