//! One example for every command, at the end of its help. `tests/cli/help.rs` runs them all.

use clap::Command;

/// Adversarial tokens with A = -I.
macro_rules! adversarial {
    ($command:literal) => {
        concat!(
            r#"echo '{"tokens":{"source":"adversarial","n":64},"weights":{"source":"identity","sign":-1}}' | lipscope "#,
            $command
        )
    };
}

/// Drawn tokens and weights of L2 attention.
macro_rules! l2 {
    ($command:literal) => {
        concat!(
            r#"echo '{"attention":"l2","tokens":{"source":"random","n":16},"weights":{"source":"kim"}}' | lipscope "#,
            $command
        )
    };
}

const EXAMPLES: [(&str, &str); 16] = [
    ("measure", adversarial!("measure")),
    ("sweep", adversarial!("sweep -n 2:64:x6 --draws 1")),
    ("bounds", adversarial!("bounds -n 100,1e9")),
    ("growth", adversarial!("growth -n 2:1e9:x10 --json")),
    ("gap", adversarial!("gap -n 100,1e6 -R 1,2")),
    ("certify", adversarial!("certify --epsilon 1e-3,1e-2 --restarts 1 --steps 5")),
    ("invert", l2!("invert -c 0.5,0.9")),
    ("scale", l2!("scale --most 1000 --count 7")),
    ("tightness", "lipscope tightness --most 30 --count 3 --restarts 2"),
    ("script", adversarial!("script --numpy > experiment.py")),
    ("search", adversarial!("search --restarts 2 --steps 20 --out worst.json")),
    ("spectrum", adversarial!("spectrum --map attention-residual")),
    ("estimators", "lipscope estimators --preset small-gap"),
    ("model", "lipscope model --weights random:gpt2 --dim 64 --heads 4 -n 8,16 --windows 2 --shard 0/2 -o part-0.csv"),
    ("merge", "lipscope merge part-0.csv part-1.csv -o all.csv"),
    (
        "train",
        "lipscope train --text book.txt --attention dot,l2 --blocks 1 --width 16 --heads 2 --context 16 --steps 100 -o runs",
    ),
];

/// The command with an example at the end of each subcommand's help.
pub(super) fn with_examples(command: Command) -> Command {
    EXAMPLES.into_iter().fold(command, |command, (name, line)| {
        command.mut_subcommand(name, |subcommand| subcommand.after_help(format!("Example:\n  {line}")))
    })
}
