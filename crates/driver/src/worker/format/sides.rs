//! The names in the headers of a diff.

/// The name in a `---` or `+++` line; `None` for `/dev/null`. A tab ends it (a time may follow); quotes are C's, as git writes them.
pub(super) fn side(text: &str) -> Option<String> {
    let name = text.split('\t').next().unwrap_or_default().trim();
    let name = unquoted(name).unwrap_or_else(|| name.to_owned());
    (name != "/dev/null").then_some(name)
}

/// The path of a `diff --git a/x b/x` line, if both sides name the same.
pub(super) fn git_path(paths: &str) -> Option<String> {
    let paths = paths.trim_end();
    if paths.starts_with('"') {
        return unquoted(&paths[paths.find("\" ").map_or(0, |end| end + 2)..]);
    }
    let (old, new) = paths.split_at_checked(paths.len() / 2)?;
    let new = new.strip_prefix(' ')?;
    let same = old.strip_prefix("a/").unwrap_or(old) == new.strip_prefix("b/").unwrap_or(new);
    same.then(|| new.to_owned())
}

/// A name in C quotes; `None` where it is not in quotes or not UTF-8.
fn unquoted(name: &str) -> Option<String> {
    let inner = name.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = inner.bytes().peekable();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let digit = bytes.next_if(|byte| matches!(byte, b'0'..=b'7'))?;
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(out).ok()
}
