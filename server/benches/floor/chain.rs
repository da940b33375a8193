//! The deterministic chain in process: read, all layers, decide.

use std::time::Instant;

use toolward_core::{
    check::{Clock, Context, Options, Request, ToolChoice, inspect},
    limits::Limits,
    policy::Policy,
    tools::ToolSet,
    trajectory::{Conversation, Trajectory},
    turn::{Body, Candidate},
};

use crate::work::Work;

struct Monotonic(Instant);

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Median time of one check, in microseconds.
pub fn median_micros(work: &Work, rounds: usize) -> f64 {
    let limits = Limits::default();
    let toolset = ToolSet::read(&work.tools, &limits).unwrap();
    let (policy, trajectory, conversation) = (Policy::default(), Trajectory::default(), Conversation::default());
    let clock = Monotonic(Instant::now());
    let choice = ToolChoice::Auto;
    let request = Request {
        toolset: &toolset,
        context: Context {
            intent: None,
            conversation: &conversation,
            tool_choice: &choice,
            parallel: None,
            now_ms: 0,
        },
        trajectory: &trajectory,
        candidate: Some(Candidate {
            body: Body::Json(&work.candidate),
            format: None,
            finish_reason: None,
        }),
        results: &[],
        earlier: &[],
        attempt: None,
        options: Options::default(),
    };
    let mut times: Vec<u64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            let outcome = inspect(&request, &policy, &limits, &clock).unwrap().conclude(&[]);
            std::hint::black_box(&outcome);
            u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
        })
        .collect();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |nanos| *nanos as f64 / 1e3)
}
