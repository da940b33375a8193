//! Ratios against the floor, in one run: the in-process chain, and checks over gRPC beside a bare tonic `ack` of the
//! same request bytes in the same process layout. The figure that holds is server CPU per request, taken from the
//! kernel's accounting of the server's thread; times on shared machines are noise.
//!
//! `cargo bench -p toolward-server --bench floor [-- --quick]`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints, and stops at the first fault"
)]

mod ack;
mod chain;
mod load;
mod work;

use load::{Figures, Shape};
use work::Work;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let millis = if quick { 700 } else { 2_000 };
    let rounds = if quick { 3 } else { 5 };
    println!("| what | measured | floor |\n|---|---|---|");
    for work in [Work::small(), Work::heavy()] {
        let micros = chain::median_micros(&work, if quick { 20_000 } else { 100_000 });
        println!(
            "| in process, {} | {micros:.2} µs | ≤ {} µs |",
            work.name, work.chain_floor_micros
        );
    }
    let ack = ack::spawn();
    let toolward = load::spawn_toolward();
    for work in [Work::small(), Work::heavy()] {
        let request = toolward.prepare(&work);
        for (in_flight, floor) in [16, 64].into_iter().zip(work.ratio_floors) {
            let (base, ours) = load::alternate(&ack, &toolward, &request, Shape::Unary { in_flight }, millis, rounds);
            row(
                &format!("server CPU against ack, {}, {in_flight} in flight", work.name),
                &ours,
                &base,
                floor,
            );
            if in_flight == 64 && work.name == "small call" {
                println!(
                    "| p99 at 64 in flight against ack's | {:.2} | ≤ 2 |",
                    ours.p99_us / base.p99_us
                );
            }
        }
    }
    let request = toolward.prepare(&Work::small());
    let unary = load::measure(&toolward, &request, Shape::Unary { in_flight: 64 }, millis);
    let stream = load::measure(&toolward, &request, Shape::Stream { in_flight: 64 }, millis);
    println!(
        "| CheckStream against Check, CPU per check | {:.2} | ≤ 0.85 |",
        stream.cpu_us / unary.cpu_us
    );
    let batch = load::measure(
        &toolward,
        &toolward.prepare(&Work::parallel(16)),
        Shape::Unary { in_flight: 16 },
        millis,
    );
    let single = load::measure(&toolward, &request, Shape::Unary { in_flight: 16 }, millis);
    println!(
        "| 16 calls in one request, per call, against one | {:.2} | ≤ 0.35 |",
        batch.cpu_us / 16.0 / single.cpu_us
    );
    let inline = load::measure(
        &toolward,
        &toolward.inline(&Work::thirty_tools()),
        Shape::Unary { in_flight: 16 },
        millis,
    );
    let named = load::measure(
        &toolward,
        &toolward.prepare(&Work::thirty_tools()),
        Shape::Unary { in_flight: 16 },
        millis,
    );
    println!(
        "| 30 tools sent inline, over registered | +{:.1} µs | ≤ +25 µs |",
        inline.cpu_us - named.cpu_us
    );
}

fn row(what: &str, ours: &Figures, base: &Figures, floor: f64) {
    println!(
        "| {what} | {:.2} ({:.1} against {:.1} µs, {:.0} a second) | ≤ {floor} |",
        ours.cpu_us / base.cpu_us,
        ours.cpu_us,
        base.cpu_us,
        ours.per_second
    );
}
