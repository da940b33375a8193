//! The chain itself: [`inspect`], then [`Inspected::conclude`].

use crate::{
    check::{
        Clock, Degraded, LayerOutcome, LayerReport, Outcome, Request, Skipped,
        calls::{self, CallState},
        request::MAX_SAID_BYTES,
        results::{self, ResultState},
    },
    code::{Code, Layer},
    decide::{decide, rule},
    finding::{Finding, beginning},
    layers::{cascade, selection, semantic, value},
    limits::{Limits, Reason, Refusal},
    policy::{Mode, OnFault, Policy},
    trajectory::Fingerprint,
    turn::{self, ReadOptions, Turn},
};

/// What the judge said of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The result answers the intent.
    Yes,
    /// It does not.
    No,
    /// The judge could not say.
    Degraded(Degraded),
    /// There is no judge.
    NotAsked,
}

/// A check between its halves: everything judged but what needs the judge.
#[derive(Debug)]
pub struct Inspected<'a> {
    pub(crate) request: Request<'a>,
    pub(crate) policy: &'a Policy,
    pub(crate) turn: Option<Turn<'a>>,
    pub(crate) calls: Vec<CallState>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) results: Vec<ResultState<'a>>,
    pub(crate) reports: Vec<LayerReport>,
    questions: Vec<semantic::Question>,
    asked_of: Vec<usize>,
}

/// Runs the layers that need no one else.
///
/// # Errors
/// A [`Refusal`] where the envelope is broken or larger than a limit; never for a bad call.
pub fn inspect<'a>(
    request: &Request<'a>,
    policy: &'a Policy,
    limits: &Limits,
    clock: &dyn Clock,
) -> Result<Inspected<'a>, Refusal> {
    admit(request, limits)?;
    let options = ReadOptions {
        repair: request.options.repair,
        limits,
    };
    let turn = request
        .candidate
        .as_ref()
        .map(|it| turn::read(it, request.toolset, options))
        .transpose()?;
    let mut check = Inspected {
        request: *request,
        policy,
        turn,
        calls: Vec::new(),
        findings: Vec::new(),
        results: Vec::new(),
        reports: Vec::with_capacity(Layer::ALL.len()),
        questions: Vec::new(),
        asked_of: Vec::new(),
    };
    check.resolve_names();
    // 1. What cannot be read or does not fit cannot be judged further; repairs come first, so that every later layer
    //    sees what would really run.
    check.run(Layer::Schema, clock, |check| check.fit(limits));
    // 2. A call of the wrong tool makes its values meaningless.
    check.run(Layer::Selection, clock, Inspected::select);
    // 3. Values, by the role of each argument.
    check.run(Layer::Value, clock, |check| check.look(&[], value::inspect));
    // 5. Cascades need the call as it would run, and come before the judge: they cost nothing and may spare it.
    check.run(Layer::Cascade, clock, Inspected::cascade);
    // 4. Results, last, because the judge may have to be waited for.
    check.run(Layer::Semantic, clock, Inspected::judge);
    Ok(check)
}

fn admit(request: &Request<'_>, limits: &Limits) -> Result<(), Refusal> {
    if request.candidate.is_none() && request.results.is_empty() {
        return Err(Refusal::new(
            Reason::RequestEmpty,
            "neither a candidate nor results were sent",
        ));
    }
    if request.results.len() > limits.max_results {
        let message = format!(
            "{} results; at most {} are allowed",
            request.results.len(),
            limits.max_results
        );
        return Err(Refusal::new(Reason::TooManyResults, message));
    }
    request.context.tool_choice.fits(request.toolset)
}

impl<'a> Inspected<'a> {
    /// What the judge is to be asked; answer in the same order.
    pub fn questions(&self) -> &[semantic::Question] {
        &self.questions
    }

    /// Reads the answers and decides. An answer that is missing counts as [`Answer::NotAsked`].
    pub fn conclude(mut self, answers: &[Answer]) -> Outcome {
        self.hear(answers);
        decide(self)
    }

    fn resolve_names(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        self.findings.append(&mut turn.findings);
        rule(&mut self.findings, 0, &self.policy.for_tool(""));
        self.calls = turn
            .calls
            .iter_mut()
            .map(|call| calls::resolve(&self.request, self.policy, call))
            .collect();
    }

    /// Runs one layer, times it and keeps its report.
    fn run(&mut self, layer: Layer, clock: &dyn Clock, body: impl FnOnce(&mut Self)) {
        let asked = self.request.options.layers.get(layer.index()).copied().unwrap_or(true);
        let material = match layer {
            Layer::Schema | Layer::Value | Layer::Cascade => !self.calls.is_empty(),
            Layer::Selection => self.turn.is_some(),
            Layer::Semantic => !self.request.results.is_empty(),
        };
        let skipped = if !asked {
            Some(Skipped::NotAsked)
        } else if self.policy.layer_mode(layer) == Mode::Off {
            Some(Skipped::Off)
        } else if !material {
            Some(Skipped::NothingToJudge)
        } else {
            None
        };
        if let Some(why) = skipped {
            // Results are read all the same: the session must know what came of a call.
            if layer == Layer::Semantic {
                self.results = results::read(&self.request, self.turn.as_ref(), &self.calls);
            }
            self.reports.push(LayerReport {
                layer,
                outcome: LayerOutcome::Skipped(why),
                duration_ns: 0,
            });
            return;
        }
        let start = clock.now_ns();
        body(self);
        let duration_ns = clock.now_ns().saturating_sub(start);
        self.reports.push(LayerReport {
            layer,
            outcome: LayerOutcome::Pass,
            duration_ns,
        });
    }

    fn fit(&mut self, limits: &Limits) {
        let Some(turn) = &self.turn else { return };
        for (call, state) in turn.calls.iter().zip(&mut self.calls) {
            calls::fit(&self.request, self.policy, limits, call, state);
        }
    }

    fn select(&mut self) {
        let Some(turn) = &self.turn else { return };
        let resolved: Vec<Option<usize>> = self.calls.iter().map(|state| state.tool).collect();
        let start = self.findings.len();
        selection::inspect_turn(
            turn,
            &self.request.context,
            &resolved,
            self.request.toolset,
            &mut self.findings,
        );
        rule(&mut self.findings, start, &self.policy.for_tool(""));
        self.look(&[], selection::inspect_call);
    }

    fn look(&mut self, fingerprints: &[Fingerprint], layer: fn(&crate::layers::Inspection<'_>, &mut Vec<Finding>)) {
        let Some(turn) = &self.turn else { return };
        for index in 0..self.calls.len() {
            calls::look(
                &self.request,
                self.policy,
                turn,
                &mut self.calls,
                index,
                fingerprints,
                layer,
            );
        }
    }

    fn cascade(&mut self) {
        let Some(turn) = &self.turn else { return };
        for (call, state) in turn.calls.iter().zip(&mut self.calls) {
            state.fingerprint = calls::fingerprint(call, state);
        }
        self.mark_duplicates();
        let fingerprints: Vec<Fingerprint> = self.calls.iter().map(|state| state.fingerprint).collect();
        self.look(&fingerprints, cascade::inspect);
    }

    fn mark_duplicates(&mut self) {
        let Some(turn) = &self.turn else { return };
        if turn.calls.len() < 2 {
            return;
        }
        let siblings: Vec<cascade::Parallel<'_>> = turn
            .calls
            .iter()
            .zip(&self.calls)
            .map(|(call, state)| cascade::Parallel {
                id: &call.id,
                id_given: call.id_given,
                name: state.name(&self.request, call),
                arguments: state.arguments(call),
            })
            .collect();
        let said = self.request.context.said().map(|text| beginning(text, MAX_SAID_BYTES));
        for found in cascade::duplicates(&siblings, said) {
            let (Some(copy), Some(original)) = (turn.calls.get(found.index), turn.calls.get(found.of)) else {
                continue;
            };
            let Some(state) = self.calls.get_mut(found.index) else {
                continue;
            };
            let start = state.findings.len();
            state
                .findings
                .push(cascade::Duplicate::finding(&copy.name, &original.id));
            rule(&mut state.findings, start, &self.policy.for_tool(&copy.name));
            if state.findings.get(start).is_some_and(|finding| finding.enforced) {
                state.duplicate_of = Some(found.of);
            }
        }
    }

    fn judge(&mut self) {
        self.results = results::read(&self.request, self.turn.as_ref(), &self.calls);
        let asked = results::inspect(
            &self.request,
            self.policy,
            self.turn.as_ref(),
            &self.calls,
            &mut self.results,
        );
        (self.asked_of, self.questions) = asked.into_iter().unzip();
    }

    fn hear(&mut self, answers: &[Answer]) {
        let mut degraded = None;
        for (position, answer) in self.asked_of.iter().zip(answers) {
            let Some(result) = self.results.get_mut(*position) else {
                continue;
            };
            let start = result.findings.len();
            match answer {
                Answer::Yes | Answer::NotAsked => {}
                Answer::No => result.findings.push(off_intent()),
                Answer::Degraded(cause) => {
                    degraded = Some(*cause);
                    if self.policy.on_fault(Layer::Semantic) == OnFault::Closed {
                        let message = "the result could not be judged, and the policy lets nothing unjudged through";
                        result.findings.push(Finding::new(Code::ResultUnjudged, message));
                    }
                }
            }
            rule(
                &mut result.findings,
                start,
                &self.policy.for_tool(result.tool.as_deref().unwrap_or("")),
            );
        }
        if let Some(cause) = degraded
            && let Some(report) = self.reports.iter_mut().find(|report| report.layer == Layer::Semantic)
        {
            report.outcome = LayerOutcome::Degraded(cause);
        }
    }
}

fn off_intent() -> Finding {
    Finding::new(Code::ResultOffIntent, "the result does not answer what was asked")
        .suggestion("use another call, or tell the user that this did not answer the question")
}
