//! Every door reads its corpus and a few thousand broken inputs. `make fuzz` reads millions.

use std::time::Duration;

use lipscope_fuzz::doors::{DOORS, named};
use lipscope_fuzz::run::{Series, run};
use lipscope_testkit::peak::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Reads the corpus of a door and the first inputs of a seed.
fn check(name: &str) {
    /// The most inputs; fewer if the time is over first.
    const INPUTS: u64 = 3_000;
    const TIME: Duration = Duration::from_secs(5);
    /// `make fuzz` allows 2 s. This build is slower, and processor time too depends on what else runs: only an input that
    /// hangs is a fault here.
    const MOST_TIME: Duration = Duration::from_secs(30);
    let door = named(name).unwrap_or_else(|| panic!("there is no door {name}"));
    let series = Series { seed: 0, first: 0, step: 1, end: INPUTS, time: TIME, most_time: MOST_TIME };
    let tally = run(door, series, |_| {}).unwrap_or_else(|problem| panic!("the corpus of {name}: {problem}"));
    let faults: Vec<String> =
        tally.faults.iter().map(|fault| format!("input {}: {}", fault.name, fault.what)).collect();
    assert!(faults.is_empty(), "{name}, seed {}:\n{}", series.seed, faults.join("\n"));
    // Inputs that are all refused, or all taken, try nothing.
    assert!(tally.taken > 0 && tally.taken < tally.inputs, "{name}: {} of {} taken", tally.taken, tally.inputs);
}

macro_rules! doors {
    ($($test:ident: $name:literal,)+) => {
        $(#[test]
        fn $test() {
            check($name);
        })+

        #[test]
        fn every_door_has_a_test() {
            assert_eq!(DOORS.map(|door| door.name), [$($name),+]);
        }
    };
}

doors! {
    no_experiment_breaks_anything: "experiment",
    no_work_breaks_anything: "work",
    no_table_breaks_anything: "table",
    no_npy_file_breaks_anything: "npy",
    no_link_breaks_anything: "link",
    no_safetensors_file_breaks_anything: "safetensors",
    no_config_breaks_anything: "config",
    no_tokenizer_breaks_anything: "tokenizer",
    no_plan_breaks_anything: "plan",
    no_table_of_results_breaks_anything: "results",
    no_training_breaks_anything: "train",
    no_message_breaks_anything: "message",
    no_upper_number_is_below_the_norm: "upper",
    no_number_depends_on_the_notation: "notation",
}
