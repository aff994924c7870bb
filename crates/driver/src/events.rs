//! Splits a byte stream into the data of its server-sent events, however the bytes are cut.

/// A splitter. It keeps bytes until a line is whole, so a character cut in two is never decoded in two.
#[derive(Debug, Default)]
pub(crate) struct Events {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_cr: bool,
}

impl Events {
    /// Takes bytes; hands the data of each event that is now whole to `event`. An event without data is none.
    pub(crate) fn push(&mut self, bytes: &[u8], mut event: impl FnMut(String)) {
        for &byte in bytes {
            match byte {
                // The second half of a CRLF ends nothing.
                b'\n' if self.after_cr => {}
                b'\n' | b'\r' => {
                    if let Some(data) = self.end_line() {
                        event(data);
                    }
                }
                other => self.line.push(other),
            }
            self.after_cr = byte == b'\r';
        }
    }

    /// The data of an event that the end of the stream left without its blank line. By the letter it is to be thrown
    /// away; servers that close early mean it.
    pub(crate) fn finish(mut self) -> Option<String> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_line()
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take().map(|data| String::from_utf8_lossy(&data).into_owned());
        }
        let value = match line.strip_prefix(b"data") {
            Some([]) => &[][..],
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            // Comments and other fields.
            Some(_) | None => return None,
        };
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        None
    }
}
