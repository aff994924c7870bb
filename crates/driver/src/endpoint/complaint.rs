//! What a provider says is wrong, in any of the shapes in which servers and gateways put it.

use rehearsal_wire::json::{Kind, Value};

/// An error as it was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) message: String,
    pub(super) kind: Option<String>,
    pub(super) code: Option<String>,
    pub(super) param: Option<String>,
    /// A status that it names, 400 to 599.
    pub(super) status: Option<u16>,
}

/// The error under `error`, as a text, an object or a list of such; of an outermost list the first element's.
pub(super) fn nested(root: Value<'_>) -> Option<Complaint> {
    match root.kind() {
        Kind::Array => return nested(root.items().next()?),
        Kind::Object => {}
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => return None,
    }
    let error = root.get("error")?;
    match error.kind() {
        Kind::Null => None,
        Kind::Bool => error.as_bool().filter(|is| *is).map(|_| flat(root).unwrap_or_default()),
        Kind::Array => Some(error.items().next().and_then(flat).unwrap_or_default()),
        Kind::Object | Kind::String | Kind::Number => {
            let mut told = flat(error).unwrap_or_default();
            if told.status.is_none() {
                told.status = status(root);
            }
            // Some keep the code, or the words, beside the error.
            told.code = told.code.or_else(|| words(root.get("code")));
            if told.message.is_empty() {
                told.message = words(root.get("message")).or(words(root.get("detail"))).unwrap_or_default();
            }
            Some(told)
        }
    }
}

/// An error that is the document itself; none where nothing in it says that it is one.
pub(super) fn flat(error: Value<'_>) -> Option<Complaint> {
    if let Some(message) = error.as_str() {
        return Some(Complaint { message: message.into_owned(), ..Complaint::default() });
    }
    if let Some(number) = error.as_number() {
        return Some(Complaint {
            code: Some(number.to_owned()),
            status: as_status(error),
            ..Complaint::default()
        });
    }
    let (detail, param) = error.get("detail").map(detail).unwrap_or_default();
    let message = words(error.get("message")).or(detail);
    let message =
        message.or_else(|| ["msg", "title", "error"].into_iter().find_map(|key| words(error.get(key))));
    let kind = words(error.get("type")).or_else(|| words(error.get("status")));
    let code = words(error.get("code"));
    let says_so = error.get("object").is_some_and(|object| object.is_str("error"));
    if message.is_none() && code.is_none() && kind.is_none() && !says_so {
        return None;
    }
    let number = error.get("code").and_then(Value::as_number).map(str::to_owned);
    // Gateways put what their provider said here.
    let raw = error.at("/metadata/raw").and_then(|raw| words(Some(raw)));
    let message = match (message, raw) {
        (Some(message), Some(raw)) => format!("{message}: {raw}"),
        (message, raw) => message.or(raw).unwrap_or_default(),
    };
    Some(Complaint {
        message,
        kind,
        code: code.or(number),
        param: words(error.get("param")).or(param),
        status: status(error),
    })
}

/// What stands under `detail`: a text, or a list of what is wrong with single fields (FastAPI), whose first names a parameter.
fn detail(detail: Value<'_>) -> (Option<String>, Option<String>) {
    if let Some(first) = detail.items().next() {
        let place =
            first.get("loc").and_then(|place| place.items().last()).and_then(|name| words(Some(name)));
        let said = words(first.get("msg"));
        let message = match (&place, said) {
            (Some(place), Some(said)) => Some(format!("{place}: {said}")),
            (None, said) => said,
            (Some(_), None) => place.clone(),
        };
        return (message, place);
    }
    let inner = detail.get("message").or(detail.get("error"));
    (words(Some(detail)).or_else(|| words(inner)), None)
}

fn status(value: Value<'_>) -> Option<u16> {
    ["code", "status", "status_code", "statusCode", "http_status"]
        .into_iter()
        .filter_map(|key| value.get(key))
        .find_map(as_status)
}

fn as_status(value: Value<'_>) -> Option<u16> {
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

fn words(value: Option<Value<'_>>) -> Option<String> {
    value?.as_str().filter(|text| !text.trim().is_empty()).map(std::borrow::Cow::into_owned)
}
