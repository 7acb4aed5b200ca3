//! The command line.

fn main() -> std::process::ExitCode {
    lipscope_cli::run()
}
