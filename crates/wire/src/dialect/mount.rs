//! Mounts: other paths at which a cloud serves the routes of dialects, with a key header and a refusal of its own. One row each.
//!
//! Must not know: HTTP heads, what the dialects say.

use super::Dialects;
use crate::json::write_string;

/// All mounts.
pub const MOUNTS: &[Mount] = &[AZURE];

/// A cloud that serves dialects below paths of its own.
#[derive(Clone, Copy, Debug)]
pub struct Mount {
    /// Name of the row.
    pub name: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// The dialects that it serves.
    pub dialects: Dialects,
    /// Where it serves them. The first that a path fits has it.
    pub roots: &'static [Root],
    /// A further header that may hold the key, with `YOUR_KEY` for it.
    pub key: &'static str,
    /// What it says itself, before the API behind it is asked: of a status and a sentence the body.
    pub error: fn(u16, &str) -> Vec<u8>,
    /// Its words where a path, or what its query must hold, is missing.
    pub not_found: &'static str,
    /// Its words where the key is missing.
    pub no_key: &'static str,
}

/// A beginning of paths that stands for the `/v1` of a dialect's own.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// The beginning, without a slash at its end; a part in braces names the model.
    pub path: &'static str,
    /// What may follow: a first part of the dialect's path behind `/v1/`, or more of it. Empty for anything.
    pub only: &'static [&'static str],
    /// A name that the query must hold.
    pub query: Option<&'static str>,
}

/// A path that stands below a mount.
#[derive(Clone, Copy, Debug)]
pub struct Mounted<'p> {
    /// The mount.
    pub mount: &'static Mount,
    /// The root of it.
    pub root: &'static Root,
    /// The model that the path names, as it was sent.
    pub model: Option<&'p str>,
    /// The rest of the path, which stands behind `/v1` in a dialect's own routes; it begins with a slash.
    pub rest: &'p str,
}

impl Mounted<'_> {
    /// Whether the query of a request holds what the root asks for.
    #[must_use]
    pub fn has_query(&self, query: &str) -> bool {
        let holds = |name: &str| {
            query
                .split('&')
                .any(|pair| pair.split_once('=').is_some_and(|(key, value)| key == name && !value.is_empty()))
        };
        self.root.query.is_none_or(holds)
    }
}

/// The mount that a path stands below.
#[must_use]
pub fn mounted(path: &str) -> Option<Mounted<'_>> {
    MOUNTS.iter().find_map(|mount| mount.roots.iter().find_map(|root| below(mount, root, path)))
}

fn below<'p>(mount: &'static Mount, root: &'static Root, path: &'p str) -> Option<Mounted<'p>> {
    let (model, rest) = match root.path.split_once("/{") {
        None => (None, path.strip_prefix(root.path)?),
        Some((before, _)) => {
            let named = path.strip_prefix(before)?.strip_prefix('/')?;
            let (model, _) = named.split_once('/')?;
            (Some(model).filter(|model| !model.is_empty()), &named[model.len()..])
        }
    };
    let below = rest.strip_prefix('/')?;
    let fits =
        |only: &&str| below.strip_prefix(*only).is_some_and(|more| more.is_empty() || more.starts_with('/'));
    let takes = root.only.is_empty() || root.only.iter().any(fits);
    (takes && model.is_some() == root.path.contains('{')).then_some(Mounted { mount, root, model, rest })
}

/// Azure, after its REST reference of 2024-10-21 and the page on the `v1` API of 2025-08. The paths of deployments take the
/// three operations that had them before 2025; everything since then stands below `/openai/v1`, and for dated versions of the
/// API below `/openai`.
const AZURE: Mount = Mount {
    name: "azure",
    summary: "Azure OpenAI: the routes of the OpenAI API below `/openai`, by deployment or by version",
    dialects: Dialects::Only(&["openai-chat", "openai-responses", "openai-completions"]),
    roots: &[
        Root { path: "/openai/v1", only: &[], query: None },
        Root {
            path: "/openai/deployments/{deployment}",
            only: &["chat/completions", "completions", "embeddings"],
            query: Some(VERSION),
        },
        Root { path: "/openai", only: &["responses", "conversations", "models"], query: Some(VERSION) },
    ],
    key: "api-key: YOUR_KEY",
    error: gateway_error,
    not_found: "Resource not found",
    no_key: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
};

const VERSION: &str = "api-version";

/// As the gateway before the API writes it, blank and all.
fn gateway_error(status: u16, message: &str) -> Vec<u8> {
    let mut out = format!("{{\"error\":{{\"code\":\"{status}\",\"message\": ").into_bytes();
    write_string(&mut out, message);
    out.extend_from_slice(b"}}");
    out
}

#[cfg(test)]
mod tests {
    use super::mounted;

    #[test]
    fn a_path_below_a_mount_is_taken_apart() {
        for (path, wanted) in [
            ("/openai/v1/chat/completions", Some((None, "/chat/completions"))),
            ("/openai/v1/responses/resp_1/cancel", Some((None, "/responses/resp_1/cancel"))),
            ("/openai/deployments/my%20gpt/chat/completions", Some((Some("my%20gpt"), "/chat/completions"))),
            ("/openai/deployments/a/embeddings", Some((Some("a"), "/embeddings"))),
            ("/openai/responses", Some((None, "/responses"))),
            ("/openai/responses/resp_1", Some((None, "/responses/resp_1"))),
            ("/openai/deployments/a/responses", None),
            ("/openai/deployments//chat/completions", None),
            ("/openai/deployments/a", None),
            ("/openai/chat/completions", None),
            ("/openai/responsesx", None),
            ("/openai/v1", None),
            ("/openaiv1/models", None),
            ("/v1/chat/completions", None),
        ] {
            assert_eq!(mounted(path).map(|found| (found.model, found.rest)), wanted, "{path}");
        }
    }

    #[test]
    fn a_dated_version_is_asked_for_outside_the_v1_paths() {
        for (path, query, holds) in [
            ("/openai/v1/models", "", true),
            ("/openai/responses", "api-version=2024-10-21", true),
            ("/openai/responses", "a=b&api-version=2024-10-21", true),
            ("/openai/responses", "", false),
            ("/openai/responses", "api-version=", false),
            ("/openai/responses", "version=2024-10-21", false),
        ] {
            assert_eq!(mounted(path).is_some_and(|found| found.has_query(query)), holds, "{path}?{query}");
        }
    }
}
