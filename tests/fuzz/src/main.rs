//! `make fuzz`: reads random and broken input at every door, on all cores, until the time is over.
//!
//! One process per core works on a door. A process that dies (out of memory, out of stack, an abort) or stops
//! responding leaves the number of its input in a file; the number is enough to make the input again.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use lipscope_fuzz::door::Door;
use lipscope_fuzz::doors::{DOORS, named};
use lipscope_fuzz::report::{self, Row, Run};
use lipscope_fuzz::run::{self, Series};
use lipscope_fuzz::{corpus, run::Tally};
use lipscope_testkit::in_repository;
use lipscope_testkit::peak::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How much processor time an input may take.
const MOST_TIME: Duration = Duration::from_secs(2);
/// An input that takes longer than this counts as a hang.
const STANDSTILL: Duration = Duration::from_secs(60);

/// Random and broken input at every door of Lipscope.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Works on all doors, or one, for so many minutes in all.
    Run(RunArguments),
    /// Reads one input again, of a seed or from a file, and says what comes of it.
    Replay(ReplayArguments),
    /// One of the processes of a run.
    #[command(hide = true)]
    Work(WorkArguments),
}

#[derive(Debug, Args)]
struct RunArguments {
    /// Minutes for all doors together.
    #[arg(long, default_value_t = 30.0)]
    minutes: f64,
    /// Only this door.
    #[arg(long)]
    door: Option<String>,
    /// The seed of all inputs; by default one that no run in the document has, or 1 without a document.
    #[arg(long)]
    seed: Option<u64>,
    /// Processes; 0 for one a core.
    #[arg(long, default_value_t = 0)]
    processes: usize,
    /// Put the table into this document.
    #[arg(long)]
    report: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ReplayArguments {
    /// The door.
    door: String,
    /// A file with the input.
    #[arg(long, conflicts_with_all = ["seed", "number"])]
    file: Option<PathBuf>,
    /// The seed of the input.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Its number.
    #[arg(long, default_value_t = 0)]
    number: u64,
}

#[derive(Debug, Args)]
struct WorkArguments {
    door: String,
    seed: u64,
    first: u64,
    step: u64,
    seconds: f64,
    state: PathBuf,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        What::Run(arguments) => run_all(&arguments),
        What::Replay(arguments) => replay(&arguments),
        What::Work(arguments) => work(&arguments),
    };
    outcome.unwrap_or_else(|problem| {
        eprintln!("fuzz: {problem}");
        ExitCode::FAILURE
    })
}

fn door(name: &str) -> io::Result<&'static Door> {
    let names = || DOORS.map(|door| door.name).join(", ");
    named(name).ok_or_else(|| io::Error::other(format!("there is no door {name}. The doors are {}.", names())))
}

fn valid(door: &Door) -> io::Result<Vec<Vec<u8>>> {
    Ok(corpus::entries(door.name)?.into_iter().map(|entry| entry.bytes).chain((door.made)()).collect())
}

fn run_all(arguments: &RunArguments) -> io::Result<ExitCode> {
    let doors: Vec<&'static Door> = match &arguments.door {
        Some(name) => vec![door(name)?],
        None => DOORS.iter().collect(),
    };
    let processes = match arguments.processes {
        0 => thread::available_parallelism()?.get(),
        count => count,
    };
    let seed = match (arguments.seed, &arguments.report) {
        (Some(seed), _) => seed,
        (None, Some(document)) => report::next_seed(document)?,
        (None, None) => 1,
    };
    let share = Duration::from_secs_f64((arguments.minutes * 60.0 / doors.len() as f64).max(1.0));
    let mut rows = Vec::new();
    for door in doors {
        let row = work_on(door, seed, processes, share)?;
        println!(
            "{:<12} {:>10} inputs, {:>9} taken, slowest {:.2} s, {} faults",
            door.name, row.inputs, row.taken, row.slowest, row.faults
        );
        rows.push(row);
    }
    if let Some(document) = &arguments.report {
        let words = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).output();
            output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
        };
        let run = Run {
            version: env!("CARGO_PKG_VERSION").into(),
            date: words("date", &["-u", "+%Y-%m-%d"]),
            commit: words("git", &["describe", "--always", "--abbrev=9", "--exclude=*", "--dirty=+"]),
            processes,
            seed,
            doors: rows.clone(),
        };
        report::record(document, run)?;
    }
    Ok(if rows.iter().all(|row| row.faults == 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Works on a door with `processes` processes.
fn work_on(door: &'static Door, seed: u64, processes: usize, time: Duration) -> io::Result<Row> {
    let folder = faults_folder();
    fs::create_dir_all(&folder)?;
    let began = Instant::now();
    let mut children: Vec<(Child, PathBuf)> = Vec::new();
    for first in 0..processes {
        let state = folder.join(format!("{}-{first}.state", door.name));
        let child = Command::new(std::env::current_exe()?)
            .args(["work", door.name])
            .args([seed.to_string(), first.to_string(), processes.to_string(), time.as_secs_f64().to_string()])
            .arg(&state)
            .stdout(Stdio::piped())
            .spawn()?;
        children.push((child, state));
    }
    let mut row = Row { door: door.name.into(), ..Row::default() };
    for (child, state) in children {
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // What `work` prints: inputs, inputs taken, slowest in microseconds, faults.
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if let [inputs, taken, slowest, faults] = numbers[..] {
            row.inputs += inputs;
            row.taken += taken;
            row.slowest = row.slowest.max(slowest as f64 * 1e-6);
            row.faults += faults;
        } else {
            let number = fs::read(&state)?.first_chunk::<8>().map_or(0, |eight| u64::from_le_bytes(*eight));
            row.inputs += (number / processes as u64).saturating_add(1);
            row.faults += 1;
            save(door, seed, &number.to_string(), &door.input(seed, number, &valid(door)?), "the process ended")?;
        }
        fs::remove_file(&state)?;
    }
    row.minutes = began.elapsed().as_secs_f64() / 60.0;
    Ok(row)
}

/// A process of a run: prints how many inputs it read, how many were taken, the slowest in microseconds, and the
/// faults.
fn work(arguments: &WorkArguments) -> io::Result<ExitCode> {
    static READ: AtomicU64 = AtomicU64::new(0);
    let door = door(&arguments.door)?;
    let series = Series {
        seed: arguments.seed,
        first: arguments.first,
        step: arguments.step,
        end: u64::MAX,
        time: Duration::from_secs_f64(arguments.seconds),
        most_time: MOST_TIME,
    };
    let state = fs::File::create(&arguments.state)?;
    thread::spawn(|| {
        let mut before = (0, Instant::now());
        loop {
            thread::sleep(Duration::from_secs(1));
            let now = READ.load(Ordering::Relaxed);
            if now != before.0 {
                before = (now, Instant::now());
            } else if before.1.elapsed() > STANDSTILL {
                eprintln!("fuzz: an input stands still");
                std::process::exit(3);
            }
        }
    });
    let Tally { inputs, taken, slowest, faults } = run::run(door, series, |number| {
        READ.fetch_add(1, Ordering::Relaxed);
        // After a crash the number is all that is needed; if it cannot be written, reading goes on all the same.
        let _ = state.write_all_at(&number.to_le_bytes(), 0);
    })?;
    for fault in &faults {
        save(door, arguments.seed, &fault.name, &fault.input, &fault.what)?;
    }
    println!("{inputs} {taken} {} {}", slowest.as_micros(), faults.len());
    Ok(ExitCode::SUCCESS)
}

/// The folder of inputs that broke something, until they are fixed and in the corpus.
fn faults_folder() -> PathBuf {
    in_repository("target/fuzz")
}

/// Saves an input that broke something, and says how to read it again.
fn save(door: &Door, seed: u64, name: &str, input: &[u8], what: &str) -> io::Result<()> {
    let file: &Path = &faults_folder().join(format!("{}-{seed}-{name}", door.name));
    fs::write(file, input)?;
    eprintln!("FAULT at {} (seed {seed}, input {name}): {what}", door.name);
    eprintln!("  again: cargo run -p lipscope-fuzz -- replay {} --file {}", door.name, file.display());
    Ok(())
}

fn replay(arguments: &ReplayArguments) -> io::Result<ExitCode> {
    let door = door(&arguments.door)?;
    let input = match &arguments.file {
        Some(file) => fs::read(file)?,
        None => door.input(arguments.seed, arguments.number, &valid(door)?),
    };
    println!("{} bytes: {:?}", input.len(), String::from_utf8_lossy(&input[..input.len().min(2_000)]));
    match run::read(door, MOST_TIME, &input) {
        Ok((verdict, time)) => {
            println!("{verdict:?} in {:.3} s", time.as_secs_f64());
            Ok(ExitCode::SUCCESS)
        }
        Err(what) => {
            println!("FAULT: {what}");
            Ok(ExitCode::FAILURE)
        }
    }
}
