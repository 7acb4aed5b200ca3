//! Examples of every command, at the end of its help and where nothing else was asked for. `tests/cli/help.rs` runs them all.

use std::ffi::OsString;

use clap::Command;

use super::console::emit;

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

/// Drawn tokens and weights, under the causal mask.
const CAUSAL: &str = r#"echo '{"mask":"causal","tokens":{"source":"random","n":32,"d":4},"weights":{"source":"random","head_dim":4}}' | lipscope measure"#;

/// Listed tokens, without a file.
const LISTED: &str = r"printf '1.5,0.2\n-0.5,0.8\n0.3,-1.1\n' | lipscope measure --tokens - --identity -1";

/// What `lipscope model` does without arguments: a small random model, the same every time.
const SMALL_MODEL: &str =
    "lipscope model --weights random:gpt2 --dim 64 --depth 2 --heads 4 --layers 0,1 -n 8,16,32,64 --windows 2 --bounds";

/// Two rows of a run.
const RUN: &str = r#"printf '{"step":%s,"layer":"h.0","map":"block","value":%s,"residual":0,"kind":"exact"}\n' 0 1.5 100 2.5 | lipscope plot - -o run.svg"#;

/// The examples of every command, the first one for a first try.
const EXAMPLES: [(&str, &[&str]); 17] = [
    ("measure", &[adversarial!("measure"), CAUSAL, LISTED]),
    ("sweep", &[adversarial!("sweep -n 2:64:x6 --draws 1")]),
    ("bounds", &[adversarial!("bounds -n 100,1e9")]),
    ("growth", &[adversarial!("growth -n 2:1e9:x10 --json")]),
    ("gap", &[adversarial!("gap -n 100,1e6 -R 1,2")]),
    ("certify", &[adversarial!("certify --epsilon 1e-3,1e-2 --restarts 1 --steps 5")]),
    ("invert", &[l2!("invert -c 0.5,0.9")]),
    ("scale", &[l2!("scale --most 1000 --count 7")]),
    ("tightness", &["lipscope tightness --most 30 --count 3 --restarts 2"]),
    ("script", &[adversarial!("script --numpy > experiment.py")]),
    ("search", &[adversarial!("search --restarts 2 --steps 20 --out worst.json")]),
    ("spectrum", &[adversarial!("spectrum --map attention-residual")]),
    ("estimators", &["lipscope estimators --preset small-gap"]),
    (
        "model",
        &[
            "lipscope model",
            "lipscope model --weights random:gpt2 --dim 64 --heads 4 -n 8,16 --windows 2 --shard 0/2 -o part-0.csv",
        ],
    ),
    ("merge", &["lipscope merge part-0.csv part-1.csv -o all.csv"]),
    (
        "train",
        &[
            "lipscope train --text book.txt --attention dot,l2 --blocks 1 --width 16 --heads 2 --context 16 --steps 100 -o runs",
        ],
    ),
    ("plot", &[RUN]),
];

/// The command with examples at the end of each subcommand's help.
pub(super) fn with_examples(command: Command) -> Command {
    EXAMPLES.into_iter().fold(command, |command, (name, lines)| {
        command.mut_subcommand(name, |subcommand| subcommand.after_help(listed(lines)))
    })
}

/// What `lipscope` says without a command.
pub(super) fn first_steps() -> String {
    let lines = ["measure", "model", "search"].map(|name| examples_of(name).first().copied().unwrap_or_default());
    format!(
        "Lipscope measures how much attention magnifies a small change of its tokens.\n\n{}\n\n\
         `lipscope help` lists all commands, `lipscope help COMMAND` the options of one.",
        listed(&lines)
    )
}

/// What a command says that would wait for an experiment which nobody has typed.
pub(super) fn instead_of_typing(name: &str) -> String {
    format!(
        "`lipscope {name}` reads an experiment from a file or from standard input.\n\n{}\n\n\
         `lipscope {name} -` reads what you type, up to Ctrl-D. `lipscope help {name}` lists the options.",
        listed(examples_of(name))
    )
}

/// The words of a command line, where `lipscope model` alone stands for the small random model.
pub(super) fn filled(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.len() == 2 && words[1] == "model" {
        emit!(
            "lipscope model: without arguments this is a small random model, the same every time:\n  {SMALL_MODEL}\n\
             Your own: lipscope model --weights FOLDER, with config.json, model.safetensors and tokenizer.json in it"
        );
        words.extend(SMALL_MODEL.split(' ').skip(2).map(OsString::from));
    }
    words
}

/// The examples of a command.
fn examples_of(name: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(known, _)| *known == name).map(|(_, lines)| *lines).unwrap_or_default()
}

fn listed(lines: &[&str]) -> String {
    let heading = if lines.len() == 1 { "Example" } else { "Examples" };
    format!("{heading}:\n  {}", lines.join("\n  "))
}
