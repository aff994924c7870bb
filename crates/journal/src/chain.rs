//! Writes lines: each carries a sum over itself and the sum of the line before it, so that no byte can change unseen.

use crate::digest;
use crate::event::{Event, VERSION};
use crate::write;

/// The end of a chain of lines, ready for the next one.
#[derive(Clone, Debug)]
pub struct Chain {
    seq: u64,
    prev: [u8; 64],
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

impl Chain {
    /// A chain without lines.
    #[must_use]
    pub fn new() -> Self {
        Self { seq: 0, prev: digest::ZERO }
    }

    /// The chain behind line `seq`, whose sum is `head`: 64 hexadecimal digits.
    #[must_use]
    pub fn after(seq: u64, head: &str) -> Self {
        let mut prev = digest::ZERO;
        for (digit, given) in prev.iter_mut().zip(head.bytes()) {
            *digit = given;
        }
        Self { seq, prev }
    }

    /// Number of the last line, 0 before the first.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Sum of the last line, hexadecimal; 64 zeros before the first.
    #[must_use]
    pub fn head(&self) -> String {
        self.prev.iter().map(|&digit| char::from(digit)).collect()
    }

    /// Appends one line with its line feed to `out`. `t_us` is the time since the journal's opening in microseconds.
    ///
    /// The sum is SHA-256 over the line's bytes before `,"sum":`, the predecessor's sum included.
    pub fn line(&mut self, t_us: u64, event: &Event, out: &mut Vec<u8>) {
        self.seq += 1;
        let start = out.len();
        out.extend_from_slice(b"{\"v\":");
        write::number(out, VERSION.into());
        out.extend_from_slice(b",\"seq\":");
        write::number(out, self.seq);
        out.extend_from_slice(b",\"t\":");
        write::number(out, t_us);
        out.extend_from_slice(b",\"prev\":\"");
        out.extend_from_slice(&self.prev);
        out.extend_from_slice(b"\",");
        write::fields(out, event);
        self.prev = digest::hex(&digest::of(&out[start..]));
        out.extend_from_slice(b",\"sum\":\"");
        out.extend_from_slice(&self.prev);
        out.extend_from_slice(b"\"}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_json_object_with_its_sum_last_and_chains_the_line_before() {
        let mut chain = Chain::new();
        let mut out = Vec::new();
        chain.line(5, &Event::Closed { requests: 0 }, &mut out);
        let first_sum = chain.head();
        chain.line(9, &Event::Closed { requests: 1 }, &mut out);
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        let zeros = "0".repeat(64);
        let covered =
            format!("{{\"v\":1,\"seq\":1,\"t\":5,\"prev\":\"{zeros}\",\"event\":\"closed\",\"requests\":0");
        let sum = digest::text(&digest::of(covered.as_bytes()));
        assert_eq!(lines[0], format!("{covered},\"sum\":\"{sum}\"}}"));
        assert_eq!(first_sum, sum);
        assert!(lines[1].contains(&format!("\"prev\":\"{sum}\"")));
        let value: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
        assert_eq!(value["seq"], 2);
        assert_eq!(value["event"], "closed");
    }
}
