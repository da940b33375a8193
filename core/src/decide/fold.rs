//! Findings → decision: the policy's word on each finding, precedence, and the retry budget.

use crate::{
    code::{Action, Code, Layer},
    decide::Decision,
    finding::Finding,
    policy::{Mode, Policy, ToolPolicy},
    trajectory::Trajectory,
};

/// Applies the policy to the findings from `start` on: rules that are off are dropped, shadowed ones lose their
/// effect, actions are overridden.
pub(crate) fn rule(findings: &mut Vec<Finding>, start: usize, policy: &ToolPolicy<'_>) {
    if findings.len() <= start {
        return;
    }
    let mut position = 0;
    findings.retain_mut(|finding| {
        position += 1;
        if position <= start {
            return true;
        }
        let ruling = policy.ruling(finding.code, &finding.pointer);
        if let Some(action) = ruling.action {
            finding.action = action;
        }
        finding.enforced = finding.enforced && ruling.mode == Mode::Enforce;
        ruling.mode != Mode::Off
    });
}

/// The decision that enforced findings lead to, each by its own action; the strictest wins, so that one finding more
/// never loosens it.
pub(crate) fn decision_of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Decision {
    findings
        .into_iter()
        .filter(|finding| finding.enforced)
        .map(|finding| match finding.action {
            Action::Note => Decision::Pass,
            Action::Repair => Decision::Repaired,
            Action::Retry => Decision::Retry,
            Action::Fallback => Decision::Fallback,
        })
        .max()
        .unwrap_or(Decision::Pass)
}

/// The stricter of two.
pub(crate) fn strictest(decisions: impl IntoIterator<Item = Decision>) -> Decision {
    decisions.into_iter().max().unwrap_or(Decision::Pass)
}

/// How many tries a turn has had and may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget<'a> {
    said: Option<u32>,
    max: u32,
    trajectory: &'a Trajectory,
}

impl<'a> Budget<'a> {
    /// The budget of a request: `said` is the caller's own count.
    pub(crate) fn new(said: Option<u32>, policy: &Policy, trajectory: &'a Trajectory) -> Self {
        Self {
            said,
            max: policy.max_attempts(),
            trajectory,
        }
    }

    /// Attempts allowed.
    pub(crate) fn max(&self) -> u32 {
        self.max
    }

    /// Which try this is, from 1: the caller's count, or one more than a layer's rejections of the tool in this turn;
    /// without a tool, one more than the corrections of the turn.
    pub(crate) fn attempt(&self, of: Option<(&str, Layer)>) -> u32 {
        self.said.unwrap_or_else(|| match of {
            Some((tool, layer)) => self.trajectory.rejections(tool, layer).saturating_add(1),
            None => self.trajectory.attempt(),
        })
    }

    /// The finding that turns a retry into a fallback once the budget is used up.
    pub(crate) fn exhausted(&self, of: Option<(&str, Layer)>) -> Option<Finding> {
        let attempt = self.attempt(of);
        (attempt > self.max).then(|| {
            Finding::new(
                Code::RetryStorm,
                format!(
                    "attempt {attempt} was rejected again; only {} corrections are allowed in one turn",
                    self.max
                ),
            )
            .suggestion("do something else or answer without this tool")
        })
    }
}

/// The enforced finding that decides: the first of the strictest, in the order of the chain. `None`: nothing blocks.
pub(crate) fn deciding(findings: &[Finding]) -> Option<&Finding> {
    let blocking = findings
        .iter()
        .filter(|finding| finding.enforced && finding.action >= Action::Retry);
    blocking.reduce(|first, next| if next.action > first.action { next } else { first })
}

/// The layer of the finding that decides, for the record of a rejection.
pub(crate) fn deciding_layer(findings: &[Finding]) -> Option<Layer> {
    deciding(findings).map(Finding::layer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_finding() -> impl Strategy<Value = Finding> {
        let actions = vec![Action::Note, Action::Repair, Action::Retry, Action::Fallback];
        (0..Code::ALL.len(), prop::sample::select(actions), any::<bool>()).prop_map(|(code, action, enforced)| {
            let mut finding = Finding::new(Code::ALL[code], "found").leads_to(action);
            finding.enforced = enforced;
            finding
        })
    }

    proptest! {
        #[test]
        fn one_finding_more_never_loosens(findings in prop::collection::vec(any_finding(), 0..8), more in any_finding()) {
            let before = decision_of(&findings);
            let after = decision_of(findings.iter().chain([&more]));
            prop_assert!(after >= before);
        }

        #[test]
        fn what_is_not_enforced_decides_nothing(mut findings in prop::collection::vec(any_finding(), 0..8)) {
            for finding in &mut findings {
                finding.enforced = false;
            }
            prop_assert_eq!(decision_of(&findings), Decision::Pass);
        }
    }
}
