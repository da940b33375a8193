//! The judge over real HTTP: what it says, and every way in which it can fail to say it. A fault is never a pass unless
//! the policy says so, and then it is counted.

#![expect(clippy::unwrap_used, reason = "what a test needs and does not get ends it")]

mod support;

use support::{Reply, ScriptedJudge, Service, check_result, judged_by, with_policy};
use toolward_proto::v1::{CheckRequest, CheckResponse, Decision, Layer, LayerOutcome};
use toolward_server::config::Config;

/// Verdicts count, and what could not be judged does not pass.
const STRICT: &str = "[semantic]\njudge = \"enforce\"\n[layers.semantic]\non_fault = \"closed\"\n";

/// Verdicts count, and what could not be judged passes.
const OPEN: &str = "[semantic]\njudge = \"enforce\"\n[layers.semantic]\non_fault = \"open\"\n";

fn under(policy: &str, request: CheckRequest) -> CheckRequest {
    CheckRequest {
        policy: Some(policy.to_owned()),
        ..request
    }
}

/// How the semantic layer ended, and why.
fn semantic(answer: &CheckResponse) -> (LayerOutcome, &str) {
    let report = answer
        .layers
        .iter()
        .find(|report| report.layer() == Layer::Semantic)
        .unwrap();
    (report.outcome(), report.reason.as_deref().unwrap_or_default())
}

fn codes(answer: &CheckResponse) -> Vec<&str> {
    answer
        .results
        .iter()
        .flat_map(|result| &result.findings)
        .map(|finding| finding.code.as_str())
        .collect()
}

async fn ask(config: Config, policy: &str) -> (Service, CheckResponse, tempfile::TempDir) {
    let (config, folder) = with_policy(config, "tested", policy);
    let service = Service::start(config).await;
    let request = under("tested", check_result("1", "4 degrees and rain in Oslo"));
    let answer = service.defense().await.check(request).await.unwrap().into_inner();
    (service, answer, folder)
}

#[tokio::test]
async fn yes_passes_and_no_falls_back() {
    for (says, decision, outcome) in [("YES", Decision::Pass, "yes"), (" no.\n", Decision::Fallback, "no")] {
        let judge = ScriptedJudge::start(vec![Reply::Says(says)]).await;
        let (service, answer, _folder) = ask(judge.config(), STRICT).await;
        assert_eq!(answer.decision(), decision, "{answer:?}");
        let series = format!("toolward_judge_requests_total{{backend=\"openai\",outcome=\"{outcome}\"}}");
        assert_eq!(service.metric(&series).await, 1.0);
        assert_eq!(
            service.metric("toolward_judge_tokens_total{direction=\"input\"}").await,
            120.0
        );
        assert_eq!(
            service
                .metric("toolward_judge_tokens_total{direction=\"output\"}")
                .await,
            1.0
        );
    }
}

#[tokio::test]
async fn the_question_is_plain_and_the_key_is_sent() {
    let judge = ScriptedJudge::start(vec![Reply::Says("YES")]).await;
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "s3cret\n").unwrap();
    let mut config = judge.config();
    let toolward_server::config::JudgeBackend::OpenAi { api_key_file, .. } = &mut config.judge.backend else {
        panic!("no judge")
    };
    *api_key_file = Some(key);
    let (_service, _answer, _folder) = ask(config, STRICT).await;
    let seen = judge.seen();
    let (authorization, body) = seen.first().unwrap();
    assert_eq!(authorization.as_deref(), Some("Bearer s3cret"));
    assert_eq!(
        (&body["stream"], &body["temperature"], &body["model"]),
        (&false.into(), &0.into(), &"small".into())
    );
    assert!(body["max_tokens"].as_u64().unwrap() <= 16);
}

/// A judge that fails in one way: never a pass under a closed policy, a counted pass under an open one.
async fn fails(replies: fn() -> Vec<Reply>, cause: &str, tries: usize) {
    for (policy, decision, on_fault) in [(STRICT, Decision::Fallback, "closed"), (OPEN, Decision::Pass, "open")] {
        let judge = ScriptedJudge::start(replies()).await;
        let mut config = judge.config();
        config.judge.timeout_ms = 400;
        let (service, answer, _folder) = ask(config, policy).await;
        assert_eq!(answer.decision(), decision, "{cause}, {on_fault}: {answer:?}");
        assert_eq!(semantic(&answer), (LayerOutcome::Degraded, cause), "{on_fault}");
        let unjudged = codes(&answer).contains(&"result_unjudged");
        assert_eq!(unjudged, on_fault == "closed");
        let series = format!("toolward_degraded_total{{layer=\"semantic\",cause=\"{cause}\",on_fault=\"{on_fault}\"}}");
        assert_eq!(service.metric(&series).await, 1.0);
        let series = format!("toolward_judge_requests_total{{backend=\"openai\",outcome=\"{cause}\"}}");
        assert_eq!(service.metric(&series).await, 1.0);
        assert_eq!(judge.asked(), tries, "{cause}");
        judge.release(10);
    }
}

#[tokio::test]
async fn another_word_is_unreadable() {
    fails(|| vec![Reply::Says("MAYBE")], "unreadable", 1).await;
}

#[tokio::test]
async fn a_verdict_inside_a_sentence_is_unreadable() {
    fails(
        || vec![Reply::Says("The result says YES, so YES it is")],
        "unreadable",
        1,
    )
    .await;
}

#[tokio::test]
async fn a_word_that_was_cut_off_is_unreadable() {
    fails(|| vec![Reply::CutOff("NO")], "unreadable", 1).await;
}

#[tokio::test]
async fn garbage_is_unreadable() {
    fails(|| vec![Reply::Raw("<html>YES</html>".to_owned())], "unreadable", 1).await;
    fails(|| vec![Reply::Raw(r#"{"choices":[]}"#.to_owned())], "unreadable", 1).await;
}

#[tokio::test]
async fn a_huge_answer_is_unreadable() {
    fails(
        || vec![Reply::Raw(format!("{}{{}}", " ".repeat(4 << 20)))],
        "unreadable",
        1,
    )
    .await;
}

#[tokio::test]
async fn errors_that_stay_are_unavailable_after_three_tries() {
    fails(|| vec![Reply::Status(500)], "unavailable", 3).await;
}

#[tokio::test]
async fn a_refusal_is_unavailable_and_not_tried_again() {
    fails(|| vec![Reply::Status(401)], "unavailable", 1).await;
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_is_not_begun() {
    fails(|| vec![Reply::RetryAfter(30)], "unavailable", 1).await;
}

#[tokio::test]
async fn a_slow_judge_is_a_timeout() {
    fails(|| vec![Reply::Held], "timeout", 1).await;
}

#[tokio::test]
async fn a_judge_that_is_down_is_unavailable() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let (_service, answer, _folder) = ask(judged_by(&format!("http://{gone}/v1")), STRICT).await;
    assert_eq!(answer.decision(), Decision::Fallback);
    assert_eq!(semantic(&answer), (LayerOutcome::Degraded, "unavailable"));
}

#[tokio::test]
async fn a_passing_error_is_tried_again() {
    let judge = ScriptedJudge::start(vec![Reply::Status(429), Reply::Status(503), Reply::Says("YES")]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 5_000;
    let (service, answer, _folder) = ask(config, STRICT).await;
    assert_eq!(answer.decision(), Decision::Pass);
    assert_eq!(semantic(&answer).0, LayerOutcome::Pass);
    assert_eq!(
        (judge.asked(), service.metric("toolward_judge_retries_total").await),
        (3, 2.0)
    );
}

#[tokio::test]
async fn an_equal_question_is_asked_once() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 5_000;
    let (config, _folder) = with_policy(config, "tested", STRICT);
    let service = Service::start(config).await;
    let (mut one, mut two) = (service.defense().await, service.defense().await);
    let request = |id: &str| under("tested", check_result(id, "4 degrees and rain in Oslo"));
    let first = one.check(request("1"));
    let second = two.check(request("2"));
    let (first, second, ()) = tokio::join!(first, second, async {
        judge.arrived(1).await;
        judge.release(2);
    });
    assert_eq!(first.unwrap().into_inner().decision(), Decision::Pass);
    assert_eq!(second.unwrap().into_inner().decision(), Decision::Pass);
    assert_eq!(
        one.check(request("3")).await.unwrap().into_inner().decision(),
        Decision::Pass
    );
    assert_eq!(judge.asked(), 1);
    assert_eq!(service.metric("toolward_judge_cache_total{result=\"miss\"}").await, 1.0);
    assert_eq!(service.metric("toolward_judge_cache_total{result=\"hit\"}").await, 2.0);
}

#[tokio::test]
async fn a_fault_is_not_remembered() {
    let judge = ScriptedJudge::start(vec![Reply::Says("MAYBE"), Reply::Says("YES")]).await;
    let (service, answer, _folder) = ask(judge.config(), STRICT).await;
    assert_eq!(answer.decision(), Decision::Fallback);
    let request = under("tested", check_result("2", "4 degrees and rain in Oslo"));
    let answer = service.defense().await.check(request).await.unwrap().into_inner();
    assert_eq!(answer.decision(), Decision::Pass);
}

#[tokio::test]
async fn more_questions_than_places_are_overloaded() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    (config.judge.max_concurrent, config.judge.timeout_ms) = (1, 5_000);
    let (config, _folder) = with_policy(config, "tested", STRICT);
    let service = Service::start(config).await;
    let (mut one, mut two) = (service.defense().await, service.defense().await);
    let held = one.check(under("tested", check_result("1", "4 degrees and rain in Oslo")));
    let (held, ()) = tokio::join!(held, async {
        judge.arrived(1).await;
        let answer = two
            .check(under("tested", check_result("2", "9 degrees and sun in Oslo")))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(semantic(&answer), (LayerOutcome::Degraded, "overloaded"));
        assert_eq!(answer.decision(), Decision::Fallback);
        judge.release(1);
    });
    assert_eq!(held.unwrap().into_inner().decision(), Decision::Pass);
}

#[tokio::test]
async fn the_callers_deadline_degrades_the_judge_instead_of_losing_the_answer() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 9_000;
    let (config, _folder) = with_policy(config, "tested", STRICT);
    let service = Service::start(config).await;
    let mut request = tonic::Request::new(under("tested", check_result("1", "4 degrees and rain in Oslo")));
    request.set_timeout(std::time::Duration::from_millis(500));
    let answer = service.defense().await.check(request).await.unwrap().into_inner();
    assert_eq!(semantic(&answer), (LayerOutcome::Degraded, "timeout"));
    assert_eq!(answer.decision(), Decision::Fallback);
    judge.release(1);
}
