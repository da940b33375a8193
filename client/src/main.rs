//! `toolward`: has check documents judged, from files or a pipe.

mod command;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    command::main()
}
