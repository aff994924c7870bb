//! Requests on the paths of a cloud: what it refuses itself, and what the API behind it gets to see.
//!
//! Must not know: which clouds there are, scripts, rules.

use crate::compose::Form;
use crate::core::{Decision, Heard, Setting, asked};
use crate::refusal::{no_key, refuse};
use crate::visit::percent_decoded;
use rehearsal_journal::event::Kind;
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::dialect::mount::Mounted;
use rehearsal_wire::json;
use rehearsal_wire::reject::Reject;

/// What the cloud says before it asks the API: no key, or a query that lacks what it goes by.
pub(crate) fn refusal(
    setting: &Setting,
    heard: Heard<'_>,
    dialect: &'static Dialect,
    mounted: Mounted<'_>,
) -> Option<Decision<'static>> {
    let target = heard.head.target();
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let mount = mounted.mount;
    let (reject, words) = match no_key(setting, heard, dialect) {
        Some(reject) => (reject, mount.no_key),
        None if mounted.has_query(query) => return None,
        None => (Reject::of_no_place("route", 404, None, missing(mounted)), mount.not_found),
    };
    let kind = if heard.head.method() == "POST" { Kind::WrongPath } else { Kind::Aside };
    let mut decision = refuse(asked(kind), Some(dialect), &reject);
    if let Form::Whole(_, body) = &mut decision.sent.form {
        *body = (mount.error)(reject.status, words);
    }
    Some(decision)
}

/// What the journal says of a query that lacks something; the cloud itself does not say it.
fn missing(mounted: Mounted<'_>) -> String {
    let name = mounted.root.query.unwrap_or_default();
    format!(
        "{} answers below {} only with `?{name}=…` behind the path",
        mounted.mount.name, mounted.root.path
    )
}

/// The body with the model that the path names, where it names none itself.
pub(crate) fn with_model(body: &[u8], mounted: Mounted<'_>) -> Option<Vec<u8>> {
    let model = mounted.model?;
    let tape = json::parse(body).ok()?;
    let root = tape.root();
    if root.kind() != json::Kind::Object || root.get("model").is_some() {
        return None;
    }
    let open = body.iter().position(|byte| *byte == b'{')?;
    let mut out = Vec::with_capacity(body.len() + model.len() + 16);
    out.extend_from_slice(b"{\"model\": ");
    json::write_string(&mut out, &percent_decoded(model));
    out.extend_from_slice(if root.is_empty() { b"" } else { b", " });
    out.extend_from_slice(&body[open + 1..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::with_model;
    use rehearsal_wire::dialect::mount::mounted;

    #[test]
    fn the_model_of_the_path_is_put_in_where_the_body_names_none() {
        for (path, body, wanted) in [
            ("a%20b", r#"{"x":1}"#, Some(r#"{"model": "a b", "x":1}"#)),
            ("a", " \n{ }", Some(r#"{"model": "a" }"#)),
            ("a", r#"{"model":null}"#, None),
            ("a", "[]", None),
            ("a", "{", None),
        ] {
            let path = format!("/openai/deployments/{path}/embeddings");
            let put = with_model(body.as_bytes(), mounted(&path).unwrap_or_else(|| panic!("{path}")));
            assert_eq!(put.as_deref().map(String::from_utf8_lossy).as_deref(), wanted, "{body}");
        }
        let path = mounted("/openai/responses").unwrap_or_else(|| panic!("it is mounted"));
        assert_eq!(with_model(b"{}", path), None);
    }
}
