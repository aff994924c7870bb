//! The documents of a body that is no stream of events: one, one a line, or the elements of one array.

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Behind a document, or with nothing at all.
    Whole,
    /// Behind the bracket of the array whose elements the documents are.
    Array,
    /// Within a document or the array.
    Cut,
    /// With something that is no JSON, from this byte on.
    Strange(usize),
}

/// The documents, each to be read by itself: what stands between its first and last bracket may still be broken.
pub(super) fn documents(body: &str) -> (Vec<&str>, Ending) {
    let bytes = body.as_bytes();
    let mut found = Vec::new();
    let mut at = past_space(bytes, 0);
    let is_array = bytes.get(at) == Some(&b'[');
    at += usize::from(is_array);
    loop {
        at = past_space(bytes, at);
        match bytes.get(at) {
            None => return (found, if is_array { Ending::Cut } else { Ending::Whole }),
            Some(b']') if is_array => {
                let rest = past_space(bytes, at + 1);
                let ending = if rest == bytes.len() { Ending::Array } else { Ending::Strange(rest) };
                return (found, ending);
            }
            Some(b',') if is_array => at += 1,
            Some(b'{' | b'[') => match end_of(bytes, at) {
                Some(end) => {
                    found.extend(body.get(at..end));
                    at = end;
                }
                None => return (found, Ending::Cut),
            },
            Some(_) => return (found, Ending::Strange(at)),
        }
    }
}

fn past_space(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace()).map_or(bytes.len(), |more| from + more)
}

/// The byte behind the value whose bracket stands here, if it ends.
fn end_of(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The beginning of a text, for a message.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let plain = text.chars().take(MOST).map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut out: String = plain.collect();
    if text.chars().nth(MOST).is_some() {
        out.push('…');
    }
    out
}
