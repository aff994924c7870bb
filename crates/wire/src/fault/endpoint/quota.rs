//! Quotas and rates, told in the ways that are mistaken for each other.

use crate::dialect::ErrorBody;
use crate::fault::http::{error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const FINAL: Fault = Fault {
    right_reaction: "no retry: no wait brings money back; a clear failure says so",
    ..limit(
        "429-quota",
        "429 with the code `insufficient_quota`",
        r#"{"fault": "429-quota", "text": "hello"}"#,
        &[
            "langchain-ai/langchainjs#1929",
            "vybestack/llxprt-code#3140",
            "anomalyco/opencode#32120",
            "2389-research/tracker#547",
        ],
        &[Work::Answer(|answer, given| {
            let message = "You exceeded your current quota, please check your plan and billing details.";
            let code = Some("insufficient_quota");
            refuse(answer, given, &ErrorBody { code, ..error(429, "insufficient_quota", message) })
        })],
    )
};

pub(in crate::fault) const IN_WORDS: Fault = Fault {
    right_reaction: "the code counts, not the words: it is a rate, and passes with a wait",
    ..limit(
        "429-quota-in-words",
        "429 with the code of a rate, whose message speaks of a quota",
        r#"{"fault": "429-quota-in-words", "text": "hello"}"#,
        &["LibreChat-AI/agents#357"],
        &[Work::Answer(|answer, given| {
            let message = "INSUFFICIENT QUOTA: requests per minute. Please try again later.";
            let code = Some("rate_limit_exceeded");
            refuse(answer, given, &ErrorBody { code, ..error(429, "rate_limit_error", message) })
        })],
    )
};

pub(in crate::fault) const BAD_REQUEST: Fault = Fault {
    right_reaction: "no retry unless a wait is named; a clear failure says what the provider said",
    ..limit(
        "400-rate-limit",
        "400 with the code of a rate",
        r#"{"fault": "400-rate-limit", "text": "hello"}"#,
        &["Hmbown/Codewhale#1203"],
        &[Work::Answer(|answer, given| {
            let message = "Rate limit reached for requests.";
            let code = Some("rate_limit_exceeded");
            refuse(answer, given, &ErrorBody { code, ..error(400, "rate_limit_error", message) })
        })],
    )
};

/// A row of the family.
const fn limit(
    name: &'static str,
    summary: &'static str,
    example: &'static str,
    reports: &'static [&'static str],
    works: &'static [Work],
) -> Fault {
    Fault {
        name,
        group: Group::Endpoint,
        summary,
        dialects: Dialects::All,
        params: &[],
        example,
        reports,
        right_reaction: "",
        arrives: Arrives::Not,
        may_give_up: true,
        hostile: true,
        works,
    }
}
