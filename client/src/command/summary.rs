//! What came of a whole run: counts and latencies in a bounded space.

use std::{collections::BTreeMap, fmt::Write, time::Duration};

use toolward_document::{Answer, Decision, Finding};

use super::human::Painter;

/// Buckets for each doubling: percentiles are right to within 5 %.
const STEPS: u32 = 16;

/// Codes are a closed catalogue; a service that makes them up does not fill the memory.
const MAX_CODES: usize = 500;

/// Counts of a run.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) answers: u64,
    calls: u64,
    decisions: BTreeMap<usize, u64>,
    codes: BTreeMap<String, u64>,
    latencies: Latencies,
}

/// Latencies in buckets that grow with their size.
#[derive(Debug, Default)]
struct Latencies {
    buckets: BTreeMap<u32, u64>,
    count: u64,
    longest: Duration,
}

impl Summary {
    /// Counts an answer.
    pub(super) fn add(&mut self, answer: &Answer, latency: Option<Duration>) {
        self.answers += 1;
        self.calls += answer.calls.len() as u64;
        *self.decisions.entry(position(answer.decision)).or_default() += 1;
        let of_calls = answer.calls.iter().flat_map(|call| &call.findings);
        let of_results = answer.results.iter().flat_map(|result| &result.findings);
        for finding in answer.findings.iter().chain(of_calls).chain(of_results) {
            self.count(finding);
        }
        if let Some(latency) = latency {
            self.latencies.add(latency);
        }
    }

    fn count(&mut self, finding: &Finding) {
        if let Some(count) = self.codes.get_mut(&finding.code) {
            *count += 1;
        } else if self.codes.len() < MAX_CODES {
            self.codes.insert(finding.code.clone(), 1);
        }
    }

    /// How many documents ended with one of these decisions.
    pub(super) fn ended(&self, decisions: &[Decision]) -> u64 {
        decisions
            .iter()
            .filter_map(|decision| self.decisions.get(&position(*decision)))
            .sum()
    }

    /// The table at the end.
    pub(super) fn table(&self, painter: Painter, took: Duration) -> String {
        let mut text = String::new();
        let head = |text: &mut String, name: &str| {
            let _ = writeln!(text, "{}", painter.heading(&format!("{name:<32} {:>9}", "count")));
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text);
        head(&mut text, "decision");
        for decision in [
            Decision::Pass,
            Decision::Repaired,
            Decision::Retry,
            Decision::Fallback,
            Decision::Unspecified,
        ] {
            let count = self.ended(&[decision]);
            if count > 0 {
                let _ = writeln!(text, "{} {count:>9}", painter.decision(decision, 32));
            }
        }
        let mut codes: Vec<(&String, &u64)> = self.codes.iter().collect();
        codes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        if !codes.is_empty() {
            let _ = writeln!(text);
            head(&mut text, "finding");
        }
        for (code, count) in codes {
            let _ = writeln!(text, "{code:<32} {count:>9}");
        }
        let (answers, calls) = (plural(self.answers, "document"), plural(self.calls, "call"));
        let _ = writeln!(text, "\n{answers}, {calls} in {}{}", shown(took), self.latencies.told());
        text
    }
}

impl Latencies {
    fn add(&mut self, latency: Duration) {
        let micros = latency.as_secs_f64() * 1e6;
        let bucket = (micros.max(1.0).log2() * f64::from(STEPS)).round();
        *self.buckets.entry(bucket as u32).or_default() += 1;
        self.count += 1;
        self.longest = self.longest.max(latency);
    }

    /// The latency that this share of the checks did not exceed.
    fn percentile(&self, share: f64) -> Duration {
        let rank = (self.count as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in &self.buckets {
            seen += count;
            if seen >= rank {
                let micros = (f64::from(*bucket) / f64::from(STEPS)).exp2();
                return Duration::from_secs_f64(micros / 1e6).min(self.longest);
            }
        }
        self.longest
    }

    fn told(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let (half, most) = (shown(self.percentile(0.5)), shown(self.percentile(0.99)));
        format!("; latency p50 {half}, p99 {most}, longest {}", shown(self.longest))
    }
}

fn position(decision: Decision) -> usize {
    Decision::ALL.iter().position(|each| *each == decision).unwrap_or(0)
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

fn shown(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    if micros < 1e3 {
        format!("{micros:.0} µs")
    } else if micros < 1e6 {
        format!("{:.1} ms", micros / 1e3)
    } else {
        format!("{:.1} s", micros / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table() {
        let mut summary = Summary::default();
        let answer: Answer = serde_json::from_value(serde_json::json!({
            "id": "a", "decision": "retry", "enforced": true,
            "findings": [{"layer": "selection", "code": "no_tool_fits", "severity": "warn", "enforced": false,
                "pointer": "", "message": "m"}],
            "calls": [{"id": "1", "name": "t", "decision": "retry", "findings": [
                {"layer": "schema", "code": "wrong_type", "severity": "block", "enforced": true, "pointer": "", "message": "m"}]}]
        }))
        .expect("an answer");
        for latency in 1..=200 {
            summary.add(&answer, Some(Duration::from_micros(latency * 10)));
        }
        summary.add(&Answer::error(None, "R", "m"), None);
        assert_eq!(summary.ended(&[Decision::Retry, Decision::Fallback]), 200);
        insta::assert_snapshot!(summary.table(Painter { colored: false }, Duration::from_millis(12)));
    }

    #[test]
    fn percentiles_are_near() {
        let mut latencies = Latencies::default();
        (1..=10_000).for_each(|micros| latencies.add(Duration::from_micros(micros)));
        for (share, micros) in [(0.5, 5_000.0), (0.99, 9_900.0)] {
            let found = latencies.percentile(share).as_secs_f64() * 1e6;
            assert!((found / micros - 1.0).abs() < 0.05, "{found} for {micros}");
        }
        assert_eq!(latencies.percentile(1.0), Duration::from_micros(10_000));
    }
}
